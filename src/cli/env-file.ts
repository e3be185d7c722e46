import { usageError } from '../error.ts';
import { parseEnv } from 'node:util';
import { readFileOf } from '../server/read-file.ts';
import { settings } from './config.ts';

const flag = '--env-file';

/**
 * The variables that a file may set. Neither PETSTORE_URL nor a proxy or a certificate authority is among them: a file
 * that somebody else wrote must not choose where an API key is sent.
 */
const known = new Set(['PETSTORE_API_KEY', ...Object.values(settings).map(({ variable }) => variable)]);
const ofPostgres = /^PG[A-Z]+$/;

/**
 * Adds the settings in the file that `--env-file` names to the environment, which wins. Returns the other arguments.
 * No file is read unless it is named: the folder that a command is started in may be anybody's.
 */
export function readEnvFile(args: string[], environment: NodeJS.ProcessEnv): string[] {
  const { path, others } = takeFlag(args);
  if (path === undefined) return args;
  for (const [name, value] of Object.entries(parseEnv(readFileOf(flag, path)))) {
    if (known.has(name) || ofPostgres.test(name)) environment[name] ??= value;
  }
  return others;
}

function takeFlag(args: string[]): { path: string | undefined; others: string[] } {
  const index = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  if (index === -1) return { path: undefined, others: args };
  const isJoined = args[index] !== flag;
  const path = isJoined ? args[index]?.slice(flag.length + 1) : args[index + 1];
  if (!path) throw usageError(`${flag} needs a file: petstore ${flag} FILE <command>`);
  return { path, others: args.toSpliced(index, isJoined ? 1 : 2) };
}
