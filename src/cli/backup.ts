import { OperatorError, usageError } from '../error.ts';
import { backUpSqlite } from '../sqlite/backups/backup.ts';
import { restoreSqlite } from '../sqlite/backups/restore.ts';
import { readArguments } from './arguments.ts';
import { databaseUrlOf, settings } from './config.ts';
import { print } from './terminal/output.ts';
import { reportOnTerminal } from './terminal/progress.ts';
import { parsePlace } from '../stores.ts';

const place = `  --database-url PLACE  ${settings.databaseUrl.help} (DATABASE_URL)
                        Default: ${settings.databaseUrl.fallback}`;

const backupHelp = `Copy an embedded store into one file, and read every pet of the copy to be sure of it. Services may go on using
the store; whatever was acknowledged before is in the copy. A database server has tools of its own (pg_dump).

Usage: petstore backup FILE [options]

Options:
${place}

Examples:
  petstore backup /backups/petstore-$(date +%F).db
`;

const restoreHelp = `Put a backup in the place of an embedded store. Stop its services first. Everything is as it was when the backup
was made, except that API keys which the replaced store had revoked stay revoked. The replaced store is kept beside it.

Usage: petstore restore FILE [options]

Options:
  --force               Replace a store that holds pets, or that is damaged.
${place}

Examples:
  petstore restore /backups/petstore-monday.db
  petstore restore /backups/petstore-monday.db --force
`;

export const backupOptions = {
  'database-url': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;
export const restoreOptions = { ...backupOptions, force: { type: 'boolean' } } as const;

export async function backup(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('backup', args, {
    options: backupOptions,
    allowPositionals: true,
  });
  if (values.help) return print(backupHelp);
  const file = onlyFile(positionals, 'petstore backup FILE');
  const path = embeddedPath(values['database-url']);
  const { petCount } = backUpSqlite(path, file, reportOnTerminal(process.stderr));
  return print(`Backed up ${petCount.toLocaleString('en')} pets to ${file}, and read it back.\n`);
}

export async function restore(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('restore', args, {
    options: restoreOptions,
    allowPositionals: true,
  });
  if (values.help) return print(restoreHelp);
  const file = onlyFile(positionals, 'petstore restore FILE');
  const path = embeddedPath(values['database-url']);
  const { petCount, keepsRevocations, replacedPath } = restoreSqlite({
    file,
    name: path,
    isForced: values.force ?? false,
    report: reportOnTerminal(process.stderr),
  });
  const aboutKeys = keepsRevocations
    ? ''
    : 'Its API keys are those of the backup: one that was revoked later can be used again. See petstore keys list.\n';
  const aboutReplaced =
    replacedPath === undefined
      ? ''
      : `The store that was there is kept as ${replacedPath}. Remove it when you no longer need it.\n`;
  return print(`Restored ${petCount.toLocaleString('en')} pets to ${path}.\n${aboutReplaced}${aboutKeys}`);
}

function embeddedPath(flag: string | undefined): string {
  const found = parsePlace(databaseUrlOf(flag, process.env));
  if ('path' in found) return found.path;
  throw new OperatorError(
    'This is for embedded stores. Use the tools of the database server, such as pg_dump.',
  );
}

function onlyFile([file, ...others]: string[], form: string): string {
  if (file === undefined || others.length > 0) throw usageError(`Name one file: ${form}`);
  return file;
}
