import { styleText } from 'node:util';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { version } from '../../package.json';
import { visible } from './print.ts';

/** A problem that the user can fix. It is shown as one line, and the exit status is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Parses the command line and runs the program's action. */
export async function runProgram(
  name: string,
  define: (program: Command) => void | Promise<void>,
): Promise<void> {
  const width = (): number => Math.min(80, process.stdout.columns || 80);
  const program = new Command(name)
    .helpOption('-h, --help', 'Show this help.')
    .version(version, '--version', 'Show the version.')
    .configureHelp({
      styleTitle: (text) => styleText('bold', text),
      styleOptionTerm: (text) => styleText('cyan', text),
      styleArgumentTerm: (text) => styleText('cyan', text),
    })
    .configureOutput({ getOutHelpWidth: width, outputError: () => {} })
    .exitOverride();
  // The reader of the output may leave early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = report(name, error);
  });
  try {
    await define(program);
    await program.parseAsync();
  } catch (error) {
    process.exitCode = report(name, error);
  }
}

/** Loads code that runs the service, which npm leaves out unless it is asked for. */
export async function loadWithServer<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { specifier } = error as { specifier?: string };
    if (!specifier?.startsWith('petstore-server/')) throw error;
    throw new UsageError('It runs the service. Install it as well: npm install -D petstore-server');
  }
}

/** Adds what the exit statuses 0, 1 and so on mean to a program's help. */
export function addExitStatuses(program: Command, ...meanings: string[]): void {
  const lines = meanings.map((meaning, status) => `  ${status}  ${meaning}`);
  program.addHelpText('after', () => `\n${styleText('bold', 'Exit status:')}\n${lines.join('\n')}`);
}

/** Ends a program's help with examples. */
export function addExamples(program: Command, ...lines: string[]): void {
  program.addHelpText('after', () => `\n${styleText('bold', 'Examples:')}\n  ${lines.join('\n  ')}`);
}

/** Parses an integer within bounds. */
export function integerFrom(smallest: number, largest: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= smallest && value <= largest) return value;
    throw new InvalidArgumentError(`It must be an integer from ${smallest} to ${largest}.`);
  };
}

/** Prints an error and returns the exit status. */
function report(name: string, error: unknown): number {
  // Help or version, already printed.
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  process.stderr.write(`${name}: ${textOf(name, error)}\n`);
  return error instanceof CommanderError || error instanceof UsageError ? 2 : 1;
}

function textOf(name: string, error: unknown): string {
  if (!(error instanceof Error)) return visible(String(error));
  if (!(error instanceof CommanderError)) return visible(error.message);
  const [problem = '', suggestion = ''] = error.message.replace(/^error: /, '').split('\n');
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1).replace(/\.$/, '')}.`;
  return visible(`${sentence} ${suggestion.replace(/^\((.*)\)$/, '$1 ')}See: ${name} --help`);
}
