import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { fetchBackup, listBackups, refuseDamaged } from '../stores/backups/backups.ts';
import { isS3, openPlace } from '../stores/backups/places.ts';
import { OperatorError } from '../domain/error.ts';
import { restoreSqlite } from '../stores/sqlite/maintenance/restore.ts';
import { prepareFolder, removeLeftovers, resolveLinks } from '../system/files.ts';
import { embeddedPath } from '../stores/open.ts';
import { settings } from './settings.ts';
import { addExamples, s3Help } from './terminal/usage.ts';
import { contentOf, print, warn } from './terminal/output.ts';
import { reportOnTerminal } from './terminal/progress.ts';

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
    'petstore restore /backups/petstore-monday.db --force',
    'petstore restore s3://shop-backups/petstore --latest --force',
  );
}

interface RestoreFlags {
  databaseUrl: string;
  force?: boolean;
  latest?: boolean;
}

async function restore(source: string, flags: RestoreFlags): Promise<void> {
  const path = embeddedPath(flags.databaseUrl);
  using local = await openSource(source, flags.latest ?? false, path);
  const { keepsRevocations, replacedPath, ...content } = await restoreSqlite({
    file: local.file,
    name: path,
    isForced: flags.force ?? false,
    report: reportOnTerminal(),
  });
  print(`Restored ${contentOf(content)} to ${path}.\n`);
  if (replacedPath !== undefined) {
    print(`The store that was there is kept as ${replacedPath}. Remove it when you no longer need it.\n`);
  }
  if (!keepsRevocations) {
    print(
      'Its API keys are those of the backup: one that was revoked later can be used again. See petstore keys list.\n',
    );
  }
}

interface Source extends Disposable {
  /** The path of the backup on this machine. */
  file: string;
}

/** Fetches a backup from a bucket; a local file is used directly. */
async function openSource(source: string, isLatest: boolean, store: string): Promise<Source> {
  if (!isLatest && !isS3(source)) {
    if (existsSync(source)) await refuseDamaged(source);
    return { file: source, [Symbol.dispose]() {} };
  }
  const cut = source.lastIndexOf('/') + 1;
  const place = openPlace(isLatest ? source : source.slice(0, cut), process.env);
  const chosen = isLatest ? (await listBackups(place, warn)).at(-1)?.name : source.slice(cut);
  if (!chosen || !(await place.list()).has(chosen)) {
    const remedy = `Name one of: petstore backups list ${place.name}. For the newest, add --latest.`;
    throw new OperatorError(`There is no backup at ${source}.`, remedy);
  }
  // An operator who took the wrong backup must see this before the store is replaced.
  print(`The backup is ${chosen}.\n`);
  const path = resolveLinks(store);
  prepareFolder(path);
  removeLeftovers(`${path}.fetched-`, '.*');
  // The folder is its owner's alone.
  const folder = mkdtempSync(`${path}.fetched-`);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const file = join(folder, chosen);
  try {
    await fetchBackup(place, chosen, file);
  } catch (error) {
    remove();
    throw error;
  }
  return { file, [Symbol.dispose]: remove };
}
