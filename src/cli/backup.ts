import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { Command } from 'commander';
import { recordBackupState } from '../system/backup-state.ts';
import { backUpTo } from '../backups/back-up.ts';
import { parseKeep, type KeepRule } from '../backups/keep.ts';
import { openPlace } from '../backups/open-place.ts';
import { isPlace, noPlace } from '../backups/place.ts';
import { usageError } from '../domain/error.ts';
import { backUpSqlite } from '../sqlite/maintenance/backup.ts';
import { embeddedPath } from '../stores.ts';
import { settings } from './settings.ts';
import { addExamples } from './terminal/help.ts';
import { contentOf, explain, print, printJson } from './terminal/output.ts';
import { reportOnTerminal } from './terminal/progress.ts';
import { visible } from './terminal/visible.ts';

interface BackupOptions {
  databaseUrl: string;
  keep?: KeepRule[];
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description(
      'Copy an embedded store and read every pet and order of the copy back. Services may keep using the store; ' +
        'every write acknowledged before the backup is in it. In a folder or bucket, the backup is named by its time, ' +
        'and counts once it is whole. For PostgreSQL, use pg_dump.',
    )
    .argument('<target>', 'A file to write, a folder, or s3://bucket/prefix.')
    .option(
      '--keep <rule>',
      'Thin out the backups there: 24h,7d,4w,12m keeps the newest of each of the last 24 hours, 7 days, 4 weeks and ' +
        '12 months that have one.',
      parseKeep,
    )
    .option('--json', 'Print JSON instead of text.')
    .addOption(settings.databaseUrl)
    .addHelpText('after', s3Help)
    .action(backup);
  addExamples(
    command,
    'petstore backup /backups/petstore-$(date +%F).db',
    'petstore backup /backups --keep 24h,7d,4w,12m',
    'petstore backup s3://shop-backups/petstore --keep 7d,12m',
  );
}

/** How commands find a bucket. */
export const s3Help = `
For s3: addresses, set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; if needed,
S3_ENDPOINT, S3_REGION and S3_SESSION_TOKEN. AWS_… variables work, too.`;

async function backup(target: string, { databaseUrl, keep, json }: BackupOptions): Promise<void> {
  const store = embeddedPath(databaseUrl);
  letServiceGoFirst();
  if (!isPlace(target)) {
    if (keep) throw noPlace(target);
    if (json) throw usageError('--json works with a folder or bucket.');
    const content = backUpSqlite(store, target, reportOnTerminal());
    print(`Backed up ${contentOf(content)} to ${target}, and read it back.\n`);
    return;
  }
  const startedAt = performance.now();
  try {
    const place = openPlace(target, process.env);
    const { backup: made, removed } = await backUpTo({ place, store, keep, report: reportOnTerminal() });
    const durationMs = Math.round(performance.now() - startedAt);
    const { name, createdAt, bytes, petCount } = made;
    record(store, 'backup', { at: createdAt.toISOString(), name, to: target, bytes, petCount, durationMs });
    if (json) return printJson({ ...made, to: target, durationMs, removed });
    print(`Backed up ${contentOf(made)} to ${target.replace(/\/$/, '')}/${name}, and read it back.\n`);
    if (removed.length > 0) print(`Removed ${removed.length} older: ${removed.join(', ')}.\n`);
  } catch (error) {
    record(store, 'failedBackup', { at: new Date().toISOString(), to: target, problem: explain(error) });
    throw error;
  }
}

/** A backup may take longer; requests may not. */
function letServiceGoFirst(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // Under systemd it is forbidden, and the unit has done it.
  }
}

/**
 * For the service and its metrics. On another machine, there is no store to record it for. A backup that cannot be
 * recorded is good all the same.
 */
export const record: typeof recordBackupState = (store, part, value) => {
  if (!existsSync(store)) return;
  try {
    recordBackupState(store, part, value);
  } catch (error) {
    process.stderr.write(`petstore: This cannot be recorded beside ${visible(store)}: ${explain(error)}\n`);
  }
};
