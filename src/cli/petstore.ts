import { version } from '../../package.json';
import { OperatorError, PetstoreError, usageError } from '../error.ts';
import { describeError } from '../log.ts';
import { redactKeys } from '../api-key.ts';
import { commands, listCommands, type Command } from './commands.ts';
import { readEnvFile } from './env-file.ts';
import { openVoice, print } from './terminal/output.ts';
import { visible, visibleLines } from './terminal/visible.ts';

const help = `petstore ${version}: keeps the pets of a store.

Usage: petstore <command> [options]

Commands:
${listCommands()}

Options:
  -h, --help            Show this help, or that of a command: petstore serve --help
  --env-file FILE       Read settings from a file of NAME=value lines; the environment and flags win. No file is read
                        unless it is named, and PETSTORE_URL in it is ignored.
  --version             Show the version.

Examples:
  petstore serve --port 8080
  petstore keys create --name till-2
`;

process.exitCode = await run(process.argv.slice(2));

async function run(all: string[]): Promise<number> {
  try {
    const [name = '--help', ...args] = readEnvFile(all, process.env);
    if (name === '--help' || name === '-h' || name === 'help') return print(help);
    if (name === '--version') return print(`${version}\n`);
    const command = await findCommand(name);
    return await command(args);
  } catch (error) {
    process.stderr.write(`petstore: ${redactKeys(explain(error))}\n`);
    return error instanceof OperatorError ? error.exitStatus : 1;
  }
}

/** One line for what a person can fix; of a bug, everything that helps to find it. */
function explain(error: unknown): string {
  if (error instanceof OperatorError) return visible(error.message);
  if (!(error instanceof PetstoreError)) return visibleLines(describeError(error));
  const reason = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return visible(`${error.message}${reason}`);
}

async function findCommand(name: string): Promise<Command> {
  // Started by `petstore serve --workers` alone, so it is in no list.
  if (name === 'worker') {
    const { serveAsWorker } = await import('../server/workers.ts');
    return () => serveAsWorker(openVoice);
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!entry) throw usageError(`There is no command "${redactKeys(name)}". See: petstore --help`);
  return (await entry.load()).run;
}
