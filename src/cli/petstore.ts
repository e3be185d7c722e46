import { CommanderError, type Command } from 'commander';
import { OperatorError, usageError } from '../domain/error.ts';
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
  const program = createProgram().hook('preAction', (_program, command) => refuseMissingValue(args, command));
  try {
    await program.parseAsync(args, { from: 'user' });
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

/** Commander would accept `--name --json` as a name, but the value was forgotten. `--name=--json` is fine. */
function refuseMissingValue(args: string[], command: Command): void {
  const options = [command, command.parent].flatMap((each) => each?.options ?? []);
  const find = (arg: string | undefined) => options.find(({ long }) => long === arg);
  args.forEach((arg, index) => {
    const next = find(args[index + 1]);
    if (find(arg)?.required && next) throw usageError(`The value of ${arg} is missing before ${next.long}.`);
  });
}
