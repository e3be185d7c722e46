import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../domain/error.ts';
import type { Report } from '../system/progress.ts';
import { restoreSqlite } from '../sqlite/maintenance/restore.ts';
import { openSqliteStore } from '../sqlite/open.ts';
import { fetchBackup } from './catalog.ts';
import type { Backup } from './manifest.ts';
import type { BackupPlace } from './place.ts';

/**
 * Restores a backup into a temporary store and opens it as a service would. Returns how long that took. Compares every
 * pet and order with its checksum and the counts with the manifest, and reads every key.
 */
export async function rehearse(place: BackupPlace, backup: Backup, report: Report): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-rehearsal-'));
  try {
    const startedAt = performance.now();
    const file = join(folder, 'backup.db');
    const store = join(folder, 'petstore.db');
    report.step(`Fetching ${backup.name}`);
    await fetchBackup(place, backup, file);
    const content = restoreSqlite({ file, name: store, isForced: false, report });
    rmSync(file);
    await openSqliteStore({ path: store }).close();
    const restoreMs = performance.now() - startedAt;
    const counts = ['petCount', 'orderCount', 'keyCount'] as const;
    if (counts.some((count) => content[count] !== backup[count])) throw incomplete(backup, place);
    return restoreMs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function incomplete({ name }: Backup, place: BackupPlace): OperatorError {
  return new OperatorError(
    `The backup ${name} in ${place.name} does not hold what its manifest says.`,
    'Make a new backup, and do not rely on this one.',
  );
}
