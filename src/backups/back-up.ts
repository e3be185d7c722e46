import { rmSync } from 'node:fs';
import type { Report } from '../domain/progress.ts';
import { backUpSqlite } from '../sqlite/maintenance/backup.ts';
import { checkKeys } from '../sqlite/maintenance/check-keys.ts';
import { addBackup, findAbandoned, listBackups, removeBackup } from './catalog.ts';
import { hashOf } from './hash.ts';
import { findSurplus, type KeepRule } from './keep.ts';
import { nameBackup, type Backup } from './manifest.ts';
import type { BackupPlace } from './place.ts';

export interface BackUpOptions {
  place: BackupPlace;
  /** The path of an embedded store. */
  store: string;
  /** Which older backups stay; all without a rule. */
  keep: readonly KeepRule[] | undefined;
  report: Report;
}

export interface BackUpSummary {
  backup: Backup;
  /** The names of the backups that were thinned out. */
  removed: string[];
}

/** Adds a verified backup to a place and thins out the older ones. Services may keep using the store. */
export async function backUpTo({ place, store, keep, report }: BackUpOptions): Promise<BackUpSummary> {
  const createdAt = new Date();
  // A place that cannot be used is found before the store is copied.
  const abandoned = findAbandoned(await place.list(), createdAt);
  place.removeLeftovers(store);
  const backup = await makeBackup(place, store, createdAt, report);
  // Only now: until this one is whole, the older ones are all there is.
  for (const name of abandoned) await place.remove(name);
  const removed = keep ? await thinOut(place, keep, createdAt) : [];
  return { backup, removed };
}

async function makeBackup(
  place: BackupPlace,
  store: string,
  createdAt: Date,
  report: Report,
): Promise<Backup> {
  const name = nameBackup(createdAt);
  const draft = place.draftOf(name, store);
  try {
    const content = backUpSqlite(store, draft, report);
    const copy = Bun.file(draft);
    const keyCount = checkKeys(draft, store);
    const backup = { name, createdAt, bytes: copy.size, sha256: await hashOf(copy), ...content, keyCount };
    report.step(`Adding ${name} to ${place.name}`);
    await addBackup(place, draft, backup);
    return backup;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

async function thinOut(place: BackupPlace, keep: readonly KeepRule[], now: Date): Promise<string[]> {
  const surplus = findSurplus(await listBackups(place), keep, now).map(({ name }) => name);
  for (const name of surplus) await removeBackup(place, name);
  return surplus;
}
