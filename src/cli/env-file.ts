import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { OperatorError } from '../error.ts';
import { usage } from './arguments.ts';

const flag = '--env-file';

/** The only variable that says where an API key is sent: a file that somebody else wrote must not choose that. */
const neverFromFile = 'PETSTORE_URL';

/**
 * Adds the variables of the file that `--env-file` names to the environment, which wins. Gives the other arguments.
 * No file is read unless it is named: the folder that a command is started in may be anybody's.
 */
export function readEnvFile(args: string[], environment: NodeJS.ProcessEnv): string[] {
  const { path, others } = takeFlag(args);
  if (path === undefined) return args;
  for (const [name, value] of Object.entries(parseEnv(read(path)))) {
    if (name !== neverFromFile) environment[name] ??= value;
  }
  return others;
}

function takeFlag(args: string[]): { path: string | undefined; others: string[] } {
  const index = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  if (index === -1) return { path: undefined, others: args };
  const isJoined = args[index] !== flag;
  const path = isJoined ? args[index]?.slice(flag.length + 1) : args[index + 1];
  if (!path) throw usage(`${flag} needs a file: petstore ${flag} FILE <command>`);
  return { path, others: args.toSpliced(index, isJoined ? 1 : 2) };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `The file ${path} of ${flag} cannot be read (${code}). Check its path and rights.`,
    );
  }
}
