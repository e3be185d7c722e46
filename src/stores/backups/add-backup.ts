import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sizeOf } from '../../system/files.ts';
import type { Report } from '../../system/progress.ts';
import { backUpSqlite } from '../sqlite/maintenance/backup.ts';
import { restoreSqlite } from '../sqlite/maintenance/restore.ts';
import { openSqliteStore } from '../sqlite/open.ts';
import {
  type Backup,
  fetchBackup,
  hashOf,
  listBackups,
  nameBackup,
  removeBackup,
  writeManifest,
} from './catalog.ts';
import { findSurplus, type KeepRule } from './keep.ts';
import type { BackupPlace } from './places.ts';

export interface AddBackupOptions {
  place: BackupPlace;
  /** The path of an embedded store. */
  store: string;
  /** Which older backups to keep; all of them without a rule. */
  keep: readonly KeepRule[] | undefined;
  report: Report;
}

/** Adds a verified backup to a place and removes older ones by the rules. Services may keep using the store. */
export async function addBackup({
  place,
  store,
  keep,
  report,
}: AddBackupOptions): Promise<{ backup: Backup; removed: string[] }> {
  const createdAt = new Date();
  // Detect an unusable place before copying the store.
  await place.list();
  const name = nameBackup(createdAt);
  const make = async (draft: string): Promise<Backup> => {
    const content = backUpSqlite(store, draft, report);
    report.step(`Adding ${name} to ${place.name}`);
    return { name, createdAt, bytes: sizeOf(draft), sha256: await hashOf(draft), ...content };
  };
  let backup: Backup;
  try {
    backup = await place.add(name, store, make);
    await writeManifest(place, backup);
  } catch (error) {
    // If the place fails, the remains do not count.
    await removeBackup(place, name).catch(() => {});
    throw error;
  }
  // Only now: until this backup is complete, the older ones are all there is.
  const surplus = keep ? findSurplus(await listBackups(place), keep) : [];
  for (const { name: older } of surplus) await removeBackup(place, older);
  return { backup, removed: surplus.map(({ name: older }) => older) };
}

/**
 * Restores a backup into a temporary store and opens it as a service would. Returns how long that took. Compares
 * the file with its manifest and every pet and order with its checksum.
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
