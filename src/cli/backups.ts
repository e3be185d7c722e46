import type { Command } from 'commander';
import { listBackups } from '../backups/catalog.ts';
import type { Backup } from '../backups/manifest.ts';
import { openPlace } from '../backups/open-place.ts';
import type { BackupPlace } from '../backups/place.ts';
import { survey, type Survey } from '../backups/survey.ts';
import { rehearse } from '../backups/rehearse.ts';
import { OperatorError, usageError } from '../domain/error.ts';
import { embeddedPath } from '../stores.ts';
import { record, s3Help } from './backup.ts';
import { settings } from './settings.ts';
import { addExamples } from './terminal/help.ts';
import { contentOf, countOf, explain, print, printJson, renderTable, warn } from './terminal/output.ts';
import { reportOnTerminal } from './terminal/progress.ts';

interface BackupsOptions {
  databaseUrl: string;
  json?: boolean;
  latest?: boolean;
}

export function define(backups: Command): void {
  backups
    .description('List the backups in a folder or bucket, or rehearse a restore.')
    .option('--json', 'Print JSON instead of text.')
    .addOption(settings.databaseUrl)
    .addHelpText('after', s3Help);
  const place = ['[place]', 'A folder or s3://bucket/prefix; BACKUP_TO if absent.'] as const;
  const list = backups
    .command('list')
    .description('Show the backups that are whole, oldest first. Unfinished ones are not shown.')
    .argument(...place)
    .action((name: string | undefined, _options, command: Command) =>
      showList(name, command.optsWithGlobals()),
    );
  const rehearsal = backups
    .command('rehearse')
    .description(
      'Restore a backup, chosen at random, into a temporary store (below TMPDIR); check every pet, order and key; ' +
        'say how long it took. The result is recorded beside the store of --database-url, where the service finds it.',
    )
    .argument(...place)
    .option('--latest', 'Take the newest backup.')
    .action((name: string | undefined, _options, command: Command) =>
      runRehearsal(name, command.optsWithGlobals()),
    );
  const examples = [
    'petstore backups list /backups',
    'petstore backups rehearse s3://shop-backups/petstore --latest',
  ];
  addExamples(backups, ...examples);
  addExamples(
    list,
    'petstore backups list /backups',
    'petstore backups list s3://shop-backups/petstore --json',
  );
  addExamples(rehearsal, 'petstore backups rehearse /backups', ...examples.slice(1));
}

async function showList(name: string | undefined, { json }: BackupsOptions): Promise<void> {
  const found = await listBackups(await openNamed(name));
  if (json) printJson(found);
  else if (found.length === 0) print('There are no backups.\n');
  else print(renderTable([headings, ...found.map(cellsOf)]));
}

async function runRehearsal(name: string | undefined, options: BackupsOptions): Promise<void> {
  const store = embeddedPath(options.databaseUrl);
  const place = await openNamed(name);
  const backup = choose(await surveyPlace(place), place, options.latest ?? false);
  const at = new Date().toISOString();
  try {
    const restoreMs = Math.round(await rehearse(place, backup, reportOnTerminal()));
    record(store, 'rehearsal', { at, name: backup.name, isSound: true, restoreMs });
    if (options.json) return printJson({ ...backup, restoreMs });
    const content = `${contentOf(backup)} and ${countOf(backup.keyCount, 'key')}`;
    print(`Restored ${content} from ${backup.name} in ${(restoreMs / 1000).toFixed(1)} s. All are sound.\n`);
  } catch (error) {
    record(store, 'rehearsal', { at, name: backup.name, isSound: false, problem: explain(error) });
    throw error;
  }
}

async function openNamed(name = process.env['BACKUP_TO']): Promise<BackupPlace> {
  if (name) return openPlace(name, process.env);
  throw usageError(
    'The place of the backups is missing.',
    'Name a folder or s3://bucket/prefix, or set BACKUP_TO.',
  );
}

/** The backups that count; the operator learns of the others. */
export async function surveyPlace(place: BackupPlace): Promise<Survey<Backup>> {
  const found = survey(await listBackups(place), new Date());
  for (const { name } of found.fromFuture) {
    warn(`${name} in ${place.name} is dated in the future and ignored. Was the clock wrong?`);
  }
  return found;
}

/** The newest backup of a place, or one chosen at random. */
function choose({ backups, newest }: Survey<Backup>, place: BackupPlace, isLatest: boolean): Backup {
  const backup = isLatest ? newest : backups[Math.floor(Math.random() * backups.length)];
  if (backup) return backup;
  throw new OperatorError(`There are no backups in ${place.name}.`, 'Make one: petstore backup');
}

const headings = ['NAME', 'CREATED (UTC)', 'PETS', 'ORDERS', 'KEYS', 'BYTES'];

function cellsOf({ name, createdAt, petCount, orderCount, keyCount, bytes }: Backup): string[] {
  const time = createdAt.toISOString().slice(0, 19).replace('T', ' ');
  return [name, time, ...[petCount, orderCount, keyCount, bytes].map((count) => count.toLocaleString('en'))];
}
