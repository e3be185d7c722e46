import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import type { Report } from '../../system/progress.ts';
import { backUpSqlite } from '../sqlite/maintenance/backup.ts';
import type { StoreContent } from '../check.ts';
import { restoreSqlite } from '../sqlite/maintenance/restore.ts';
import { openSqliteStore } from '../sqlite/open.ts';
import { findSurplus, type KeepRule } from './keep.ts';
import type { BackupPlace } from './places.ts';

/**
 * A backup in a place. Its name carries its time and the beginning of its SHA-256, and it gets that name only after it
 * was read back whole: what has such a name is whole, unless it was damaged later.
 */
export interface Backup {
  /** `petstore-20261116T120000.000Z-4f3a9c0b1d2e8f75.db`; names sort by time. */
  name: string;
  /** The backup contains everything that was acknowledged before this time. */
  createdAt: Date;
  bytes: number;
}

/** The backups of a place, oldest first, without those dated in the future, about which it warns. */
export async function listBackups(place: BackupPlace, warn = (_text: string): void => {}): Promise<Backup[]> {
  const files = await place.list();
  const backups = [...files.keys()].toSorted().flatMap((name) => {
    const createdAt = parseName(name)?.createdAt;
    return createdAt ? [{ name, createdAt, bytes: files.get(name) ?? 0 }] : [];
  });
  const newestMs = Date.now() + clockSkewMs;
  for (const { name } of backups.filter(({ createdAt }) => createdAt.getTime() > newestMs))
    warn(`${name} in ${place.name} is dated in the future and ignored. Was the clock wrong?`);
  return backups.filter(({ createdAt }) => createdAt.getTime() <= newestMs);
}

/** How much the clocks of two machines may differ. */
const clockSkewMs = 5 * 60_000;

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
}: AddBackupOptions): Promise<{ name: string; content: StoreContent; removed: string[] }> {
  const createdAt = new Date();
  // Detect an unusable place before copying the store.
  await place.list();
  const draft = place.draftOf(store);
  try {
    const content = await backUpSqlite(store, draft, report);
    const name = nameBackup(createdAt, await hashOf(draft));
    report.step(`Adding ${name} to ${place.name}`);
    await place.add(draft, name);
    // Only now: until this backup is in its place, the older ones are all there is.
    const removed = keep ? findSurplus(await listBackups(place), keep).map((backup) => backup.name) : [];
    for (const older of removed) await place.remove(older);
    return { name, content, removed };
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Restores a backup into a temporary store, reads all of it, and opens it as a service would. */
export async function rehearse(
  place: BackupPlace,
  name: string,
  report: Report,
): Promise<{ content: StoreContent; durationMs: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-rehearsal-'));
  try {
    const startedAt = performance.now();
    const file = join(folder, name);
    const store = join(folder, 'petstore.db');
    report.step(`Fetching ${name}`);
    await fetchBackup(place, name, file);
    const content = await restoreSqlite({ file, name: store, isForced: false, report });
    rmSync(file);
    await openSqliteStore({ path: store }).close();
    return { content, durationMs: performance.now() - startedAt };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies a backup to a local path and compares it with the hash in its name. */
export async function fetchBackup(place: BackupPlace, name: string, path: string): Promise<void> {
  await place.fetch(name, path);
  await refuseDamaged(path, name);
}

/** Compares a file with the hash in its name; `petstore backup FILE` writes names without one. */
export async function refuseDamaged(path: string, name = basename(path)): Promise<void> {
  const hash = parseName(name)?.hash;
  if (hash === undefined || (await hashOf(path)) === hash) return;
  throw new OperatorError(
    `The backup ${name} is damaged: its content does not match its name.`,
    'Use another one: petstore backups list',
  );
}

/** The first 16 hexadecimal digits of a file's SHA-256. */
async function hashOf(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  return hasher.digest('hex').slice(0, 16);
}

export function nameBackup(createdAt: Date, hash: string): string {
  return `petstore-${createdAt.toISOString().replaceAll(/[-:]/g, '')}-${hash}.db`;
}

const backupName = /^petstore-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3})Z-([0-9a-f]{16})\.db$/;

/** Undefined for a file that is not a backup. */
function parseName(name: string): { createdAt: Date; hash: string } | undefined {
  const [, year, month, day, hour, minute, second, hash] = backupName.exec(name) ?? [];
  if (hash === undefined) return undefined;
  const createdAt = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(createdAt.getTime()) ? undefined : { createdAt, hash };
}
