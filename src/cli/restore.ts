import { basename, dirname } from 'node:path';
import type { Command } from 'commander';
import { OperatorError } from '../domain/error.ts';
import { pickBackup, restoreBackup } from '../stores/backups/backups.ts';
import { type BackupPlace, isS3, openPlace } from '../stores/backups/places.ts';
import { embeddedPath } from '../stores/open.ts';
import { isFileOfStore } from '../stores/sqlite/file.ts';
import { resolveLinks, sizeOf } from '../system/files.ts';
import { settings } from './settings.ts';
import { contentOf, print } from './terminal/output.ts';
import { reportOnTerminal } from '../system/progress.ts';
import { addExamples, s3Help } from './terminal/usage.ts';

export function define(command: Command): void {
  command
    .description(
      'Replace an embedded store with a backup. Stop its services first. Everything is as it was when the backup was ' +
        'made, except that API keys revoked since then stay revoked. The replaced store is kept beside the new one.',
    )
    .argument('<backup>', 'A file, s3://bucket/prefix/NAME, or with --latest a folder or s3://bucket/prefix.')
    .option('--latest', 'Restore the newest backup of a folder or bucket.')
    .option('--force', 'Replace a store that holds pets or orders, or is damaged.')
    .addOption(settings.databaseUrl)
    .addHelpText('after', s3Help)
    .action(restore);
  addExamples(
    command,
    'petstore restore /backups/petstore-monday.db',
    'petstore restore /backups --latest --force',
    'petstore restore s3://backups/petstore --latest --force',
  );
}

interface RestoreFlags {
  databaseUrl: string;
  force?: boolean;
  latest?: boolean;
}

async function restore(source: string, { databaseUrl, force, latest }: RestoreFlags): Promise<void> {
  const store = embeddedPath(databaseUrl);
  const { place, name } = latest ? await findLatest(source) : openSource(source, store);
  const isForced = force ?? false;
  const report = reportOnTerminal();
  const { content, replacedPath } = await restoreBackup({ place, name, store, isForced, report });
  print(`Restored ${contentOf(content)} to ${store}.\n`);
  if (replacedPath !== undefined)
    print(`The replaced store is kept as ${replacedPath}. Remove it when you no longer need it.\n`);
  print(
    'Keys revoked since the backup stay revoked only if the replaced store had them: petstore keys list\n',
  );
}

interface Source {
  place: BackupPlace;
  name: string;
}

async function findLatest(source: string): Promise<Source> {
  const place = openPlace(source, process.env);
  const { name } = await pickBackup(place, 'newest');
  // An operator who gets the wrong backup must see this before the store is replaced.
  print(`The newest backup is ${name}.\n`);
  return { place, name };
}

function openSource(source: string, store: string): Source {
  const path = isS3(source) ? source : resolveLinks(source);
  if (isFileOfStore(store, path))
    throw new OperatorError(`${source} is the store itself.`, 'Name a file that petstore backup has made.');
  // A copied store: without its log, it lacks the newest commits or has uncommitted changes.
  if (['-wal', '-journal'].some((suffix) => sizeOf(`${path}${suffix}`) > 0))
    throw new OperatorError(
      `${source} has a log beside it, with commits of its own.`,
      `Make a backup of both, and restore that: petstore backup FILE --database-url ${source}`,
    );
  return { place: openPlace(dirname(path), process.env), name: basename(path) };
}
