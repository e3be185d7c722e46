import type { Registry } from './registry.ts';

/** What the process that makes backups knows about them. Times are in milliseconds since 1970. */
export interface BackupStatus {
  /** When the newest good backup was begun; undefined without one. */
  lastGoodAt(): number | undefined;
}

/** Of several processes, at most one makes backups. */
export function addBackupMetrics(registry: Registry, status: BackupStatus, now = Date.now): void {
  registry.gauge(
    'petstore_backup_age_seconds',
    'Age of the newest good backup; infinite while there is none.',
    'min',
    () => (now() - (status.lastGoodAt() ?? -Infinity)) / 1000,
  );
}
