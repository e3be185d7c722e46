import type { Report } from '../system/progress.ts';
import { backUpSqlite } from '../sqlite/maintenance/backup.ts';
import { addBackup, findAbandoned, listBackups, removeBackup } from './catalog.ts';
import { findSurplus, type KeepRule } from './keep.ts';
import { nameBackup, type Backup } from './manifest.ts';
import { hashOf, type BackupPlace } from './place.ts';

export interface BackUpOptions {
  place: BackupPlace;
  /** The path of an embedded store. */
  store: string;
  /** Which older backups to keep; all of them without a rule. */
  keep: readonly KeepRule[] | undefined;
  report: Report;
}

export interface BackUpSummary {
  backup: Backup;
  /** The names of the older backups that were removed. */
  removed: string[];
}

/** Adds a verified backup to a place and removes older ones by the rules. Services may keep using the store. */
export async function backUpTo({ place, store, keep, report }: BackUpOptions): Promise<BackUpSummary> {
  const createdAt = new Date();
  // Detect an unusable place before copying the store.
  const abandoned = findAbandoned(await place.list(), createdAt);
  const name = nameBackup(createdAt);
  const backup = await addBackup(place, name, store, async (draft) => {
    const content = backUpSqlite(store, draft, report);
    const copy = Bun.file(draft);
    report.step(`Adding ${name} to ${place.name}`);
    return { name, createdAt, bytes: copy.size, sha256: await hashOf(copy.stream()), ...content };
  });
  // Only now: until this backup is complete, the older ones are all there is.
  for (const file of abandoned) await place.remove(file);
  const surplus = keep ? findSurplus(await listBackups(place), keep) : [];
  for (const { name: older } of surplus) await removeBackup(place, older);
  return { backup, removed: surplus.map(({ name: older }) => older) };
}
