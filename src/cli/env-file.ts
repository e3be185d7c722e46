import { parseEnv } from 'node:util';
import { usageError } from '../domain/error.ts';
import { readFileOf } from '../server/read-file.ts';
import { removedSettings, settings } from './settings.ts';

/**
 * The variables that a file may set. Proxies and certificate authorities are not among them: a file that somebody else
 * wrote must not lead a command to another machine.
 */
const known = new Set([
  'AUDIT_LOG',
  ...[...Object.values(settings), ...removedSettings].map(({ variable }) => variable),
]);
/** The database server and the bucket of the backups. */
const knownElsewhere = /^(?:PG|S3_|AWS_)[A-Z\d_]+$/;

/**
 * Adds the settings in a file to the environment, which wins. Only a file that `--env-file` names is read: the folder
 * that a command starts in may belong to anybody.
 */
export function readEnvFile(path: string, environment: NodeJS.ProcessEnv): void {
  if (path === '') throw usageError('--env-file needs the name of a file.');
  for (const [name, value] of Object.entries(parseEnv(readFileOf('--env-file', path)))) {
    if (known.has(name) || knownElsewhere.test(name)) environment[name] ??= value;
  }
}
