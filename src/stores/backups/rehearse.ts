import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../../system/progress.ts';
import { restoreSqlite } from '../sqlite/maintenance/restore.ts';
import { openSqliteStore } from '../sqlite/open.ts';
import { fetchBackup } from './catalog.ts';
import type { Backup } from './manifest.ts';
import type { BackupPlace } from './place.ts';

/**
 * Restores a backup into a temporary store and opens it as a service would. Returns how long that took. Compares
 * the file with its manifest and every pet and order with its checksum, and reads every key.
 */
export async function rehearse(place: BackupPlace, backup: Backup, report: Report): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-rehearsal-'));
  try {
    const startedAt = performance.now();
    const file = join(folder, 'backup.db');
    const store = join(folder, 'petstore.db');
    report.step(`Fetching ${backup.name}`);
    await fetchBackup(place, backup, file);
    restoreSqlite({ file, name: store, isForced: false, report });
    rmSync(file);
    await openSqliteStore({ path: store }).close();
    return performance.now() - startedAt;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
