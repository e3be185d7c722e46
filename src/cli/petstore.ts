import { CommanderError } from 'commander';
import { OperatorError } from '../domain/error.ts';
import { outputFailed } from '../system/files.ts';
import { createProgram } from './program.ts';

// A closed terminal, or a reader such as `head` that has seen enough, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && !process.stdout.isTTY) void fail(outputFailed(error));
});
await run(process.argv.slice(2));

async function run([first, ...rest]: string[]): Promise<void> {
  // `petstore help keys` is `petstore keys --help`.
  const args = first === undefined ? [] : first === 'help' ? [...rest, '--help'] : [first, ...rest];
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    // Help or version, already printed.
    if (error instanceof CommanderError) return;
    await fail(error);
    // Exit now: unfinished work, such as another request to the bucket, would keep the process alive.
    process.exit();
  }
}

async function fail(error: unknown): Promise<void> {
  const { printError } = await import('./terminal/output.ts');
  await printError(error);
  process.exitCode = error instanceof OperatorError ? error.exitStatus : 1;
}
