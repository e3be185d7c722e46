import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import { partialForm, partialOf, removeLeftovers, resolveLinks } from '../../system/files.ts';
import type { Report } from '../../system/progress.ts';
import type { StoreContent } from '../check.ts';
import { copySqlite } from '../sqlite/maintenance/backup.ts';
import { type Restored, type RestoreOptions, restoreSqlite } from '../sqlite/maintenance/restore.ts';
import { openSqliteStore } from '../sqlite/open.ts';
import { findSurplus, type KeepRule } from './keep.ts';
import type { BackupPlace } from './places.ts';

/**
 * A backup is a whole store in one file. Its name carries its time and the beginning of its SHA-256, and it gets that
 * name only after it was read back: a file with such a name is whole, unless it was damaged later.
 */
export interface Backup {
  /** `petstore-20261116T120000.000Z-4f3a9c0b1d2e8f75.db`; names sort by time. */
  name: string;
  /** The backup contains everything that was acknowledged before this time. */
  createdAt: Date;
  bytes: number;
}

/** The backups of a place, oldest first. Other files are left out. */
export async function listBackups(place: BackupPlace): Promise<Backup[]> {
  const files = Array.from(await place.list()).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return files.flatMap(([name, bytes]) => {
    const createdAt = parseName(name)?.createdAt;
    return createdAt ? [{ name, createdAt, bytes }] : [];
  });
}

/** Fails if there is none. */
export async function pickBackup(place: BackupPlace, which: 'newest' | 'random'): Promise<Backup> {
  const backups = await listBackups(place);
  const backup = which === 'newest' ? backups.at(-1) : backups[Math.floor(Math.random() * backups.length)];
  if (backup) return backup;
  throw new OperatorError(`There are no backups in ${place.name}.`, 'Make one: petstore backup');
}

export interface AddBackupOptions {
  place: BackupPlace;
  /** The path of an embedded store. */
  store: string;
  /** The name of the backup. Default: its time and hash. */
  name?: string | undefined;
  /** Which older backups to keep; all of them without a rule. */
  keep?: readonly KeepRule[] | undefined;
  report: Report;
}

export interface AddedBackup {
  name: string;
  content: StoreContent;
  /** The names of the older backups that were removed. */
  removed: string[];
}

/** Adds a verified backup to a place and removes older ones by the rules. Services may keep using the store. */
export async function addBackup({
  place,
  store,
  keep,
  report,
  ...options
}: AddBackupOptions): Promise<AddedBackup> {
  const createdAt = new Date();
  // Also detects an unusable place before the store is copied.
  const files = await place.list();
  if (options.name !== undefined && files.has(options.name))
    throw new OperatorError(`${options.name} exists and is not overwritten.`, 'Choose another name.');
  // For a bucket, the draft is beside the store: that disk has room, and a container may be unable to write elsewhere.
  const path = place.folder === undefined ? resolveLinks(store) : join(place.folder, 'petstore-backup');
  removeLeftovers(path, partialForm);
  const draft = partialOf(path);
  try {
    const content = await copySqlite(store, draft, report);
    const name = options.name ?? nameBackup(createdAt, await hashOf(draft));
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

/** Replaces a store that nobody uses with a backup, whose content must match the hash in its name. */
export async function restoreBackup({
  place,
  ...options
}: { place: BackupPlace } & Omit<RestoreOptions, 'fetch'>): Promise<Restored> {
  const { name } = options;
  if (!(await place.list()).has(name))
    throw new OperatorError(
      `There is no backup ${name} in ${place.name}.`,
      'To see what is there: petstore backups list. For the newest, name the folder or bucket and add --latest.',
    );
  const fetch = async (path: string): Promise<void> => {
    await place.fetch(name, path);
    const hash = parseName(name)?.hash;
    if (hash === undefined || (await hashOf(path)) === hash) return;
    throw new OperatorError(
      `The backup ${name} is damaged: its content does not match its name.`,
      'Use another one: petstore backups list',
    );
  };
  return await restoreSqlite({ ...options, fetch });
}

/** Restores a backup into a temporary store, reading all of it, and opens that as a service would. */
export async function rehearse(place: BackupPlace, name: string, report: Report): Promise<StoreContent> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-rehearsal-'));
  try {
    const store = join(folder, 'petstore.db');
    const { content } = await restoreBackup({ place, name, store, isForced: false, report });
    await openSqliteStore({ path: store }).close();
    return content;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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

/** Undefined for a file that has another name, as from `petstore backup FILE`. */
function parseName(name: string): { createdAt: Date; hash: string } | undefined {
  const [, year, month, day, hour, minute, second, hash] = backupName.exec(name) ?? [];
  if (hash === undefined) return undefined;
  const createdAt = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(createdAt.getTime()) ? undefined : { createdAt, hash };
}
