import type { BackupState } from '../system/backup-state.ts';
import type { Registry } from './registry.ts';

/** What is known about the backups of a store, read at each scrape. */
export function addBackupMetrics(registry: Registry, read: () => BackupState, now = Date.now): void {
  registry.gauge(
    'petstore_backup_age_seconds',
    'Age of the newest good backup; infinite while there is none.',
    'min',
    () => ageOf(read().backup?.at, now()),
  );
  registry.gauge(
    'petstore_backup_rehearsal_age_seconds',
    'Time since the last rehearsal of a restore; infinite while there was none.',
    'min',
    () => ageOf(read().rehearsal?.at, now()),
  );
  registry.gauge(
    'petstore_backup_rehearsal_sound',
    'Whether the last rehearsal restored everything: 1 or 0.',
    'min',
    () => samples(read().rehearsal?.isSound, Number),
  );
  registry.gauge(
    'petstore_backup_rehearsal_duration_seconds',
    'How long the restore of the last rehearsal took; absent if it failed.',
    'max',
    () => samples(read().rehearsal?.restoreMs, (milliseconds) => milliseconds / 1000),
  );
}

function ageOf(at: string | undefined, now: number): number {
  const time = Date.parse(at ?? '');
  return Number.isNaN(time) ? Infinity : (now - time) / 1000;
}

function samples<Value>(value: Value | undefined, toNumber: (value: Value) => number) {
  return value === undefined ? [] : [{ labels: {}, value: toNumber(value) }];
}
