import { basename, dirname } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { addBackup, type AddBackupOptions } from '../stores/backups/backups.ts';
import { parseKeep, type KeepRule } from '../stores/backups/keep.ts';
import { isPlace, noPlace, openPlace } from '../stores/backups/places.ts';
import { embeddedPath } from '../stores/open.ts';
import { untilStopSignal } from '../system/signals.ts';
import { settings } from './settings.ts';
import { contentOf, errorText, openLog, print } from './terminal/output.ts';
import { reportOnTerminal } from '../system/progress.ts';
import { addExamples, parseDuration, s3Help } from './terminal/usage.ts';

interface BackupFlags {
  databaseUrl: string;
  keep?: KeepRule[];
  every?: number;
}

export function define(command: Command): void {
  command
    .description(
      'Copy an embedded store and read every pet and order of the copy back. Services may keep using the store; every ' +
        'change acknowledged before the backup is in it. In a folder or bucket, its name has the time and a part of the ' +
        'SHA-256, and it appears once it is whole. For PostgreSQL, use pg_dump.',
    )
    .argument('<target>', 'A new file, a folder, or s3://bucket/prefix.')
    .option(
      '--keep <rule>',
      'Thin out the backups there: 24h,7d,4w,12m keeps the newest of each of the last 24 hours, 7 days, 4 weeks and ' +
        '12 months that have one.',
      parseKeep,
    )
    .addOption(
      new Option(
        '--every <time>',
        'Back up at once and then this often (15m, 1h, 1d) until SIGTERM or SIGINT, and log each backup. One that fails ' +
          'is tried again within a minute. Meant for containers, which have no timers.',
      ).argParser(parseInterval),
    )
    .addOption(settings.databaseUrl)
    .addHelpText('after', s3Help)
    .action(backup);
  addExamples(
    command,
    'petstore backup /backups/petstore-$(date +%F).db',
    'petstore backup /backups --keep 24h,7d,4w,12m',
    'petstore backup s3://backups/petstore --keep 7d,12m --every 1h',
  );
}

/** Longer intervals are for timers: a process that waits for weeks starts over at every restart. */
const longestIntervalMs = 7 * 86_400_000;

function parseInterval(text: string): number {
  const intervalMs = parseDuration(text);
  if (intervalMs > 0 && intervalMs <= longestIntervalMs) return intervalMs;
  throw new InvalidArgumentError('It must be from 1s to 7d.');
}

async function backup(target: string, { databaseUrl, keep, every }: BackupFlags): Promise<void> {
  const isFile = !isPlace(target);
  if (isFile && (keep || every !== undefined)) throw noPlace(target);
  const work: AddBackupOptions = {
    store: embeddedPath(databaseUrl),
    place: openPlace(isFile ? dirname(target) : target, process.env),
    name: isFile ? basename(target) : undefined,
    keep,
    report: reportOnTerminal(),
  };
  if (every !== undefined) return backUpEvery(every, work);
  const { name, content, removed } = await addBackup(work);
  const path = `${work.place.name.replace(/\/$/, '')}/${name}`;
  print(`Backed up ${contentOf(content)} of ${work.store} to ${path}, and read it back.\n`);
  if (removed.length > 0) print(`Removed ${removed.length} older: ${removed.join(', ')}.\n`);
}

const retryMs = 60_000;
/** The pause between two backups, even if one takes longer than the interval: it lets stop signals through. */
const shortestPauseMs = 1000;

/** On a stop signal, finishes the running backup; a second signal ends it at once. */
async function backUpEvery(everyMs: number, work: AddBackupOptions): Promise<never> {
  const log = openLog('info');
  const to = work.place.name;
  const stopped = untilStopSignal();
  for (;;) {
    const startedAt = performance.now();
    let pauseMs = everyMs;
    try {
      const { name, content, removed } = await addBackup(work);
      const durationMs = Math.round(performance.now() - startedAt);
      const fields = { name, store: work.store, to, pets: content.petCount, durationMs };
      log.info('backup made', { ...fields, removed: removed.length });
    } catch (error) {
      log.error('The backup failed.', { to, reason: errorText(error) });
      pauseMs = Math.min(everyMs, retryMs);
    }
    const restMs = Math.max(shortestPauseMs, pauseMs - (performance.now() - startedAt));
    const reason = await Promise.race([stopped, Bun.sleep(restMs)]);
    if (reason === undefined) continue;
    log.info('stopped', { reason });
    process.exit(0);
  }
}
