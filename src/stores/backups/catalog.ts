import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import type { StoreContent } from '../sqlite/maintenance/inspect.ts';
import { type BackupPlace, isS3, openFolder, openS3 } from './places.ts';

/**
 * A backup is a file and a manifest. The manifest is written last and removed first, so an interrupted backup is never
 * listed. A rehearsal is recorded in the manifest.
 */

/** Opens the place behind a folder's name or an s3: URL. */
export function openPlace(name: string, environment: NodeJS.ProcessEnv): BackupPlace {
  return isS3(name) ? openS3(name, environment) : openFolder(name);
}

/** The complete backups of a place, oldest first, without those dated in the future, about which it warns. */
export async function listBackups(place: BackupPlace, warn = (_text: string): void => {}): Promise<Backup[]> {
  const files = await place.list();
  const names = [...files.keys()].filter((name) => timeOfName(name) && files.has(manifestOf(name)));
  const found = await Promise.all(names.map((name) => readBackup(place, name, files)));
  const backups = found.filter((backup) => backup !== undefined);
  for (const { name } of backups.filter(({ createdAt }) => !isPast(createdAt)))
    warn(`${name} in ${place.name} is dated in the future and ignored. Was the clock wrong?`);
  return backups
    .filter(({ createdAt }) => isPast(createdAt))
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
}

/** The complete backup with this name, even if it is dated in the future. */
export async function findBackup(place: BackupPlace, name: string): Promise<Backup | undefined> {
  const files = await place.list();
  return files.has(manifestOf(name)) ? readBackup(place, name, files) : undefined;
}

/** How much the clocks of two machines may differ. */
const clockSkewMs = 5 * 60_000;

function isPast(time: Date): boolean {
  return time.getTime() <= Date.now() + clockSkewMs;
}

export async function removeBackup(place: BackupPlace, name: string): Promise<void> {
  for (const file of [manifestOf(name), name]) await place.remove(file);
}

export async function writeManifest(place: BackupPlace, backup: Backup): Promise<void> {
  await place.write(manifestOf(backup.name), `${JSON.stringify(backup, null, 2)}\n`);
}

/** Copies a backup to a local path and checks it against its manifest. */
export async function fetchBackup(place: BackupPlace, backup: Backup, path: string): Promise<void> {
  await place.fetch(backup.name, path);
  await refuseDamaged(backup, path, place.name);
}

/** Checks a file named by an operator against the manifest beside it, if any: nothing else protects the keys. */
export async function checkFile(path: string): Promise<void> {
  const name = basename(path);
  if (!timeOfName(name) || !existsSync(path) || !existsSync(manifestOf(path))) return;
  const backup = parseManifest(name, readFileSync(manifestOf(path), 'utf8'));
  if (backup) await refuseDamaged(backup, path, dirname(path));
}

async function refuseDamaged({ name, sha256 }: Backup, path: string, placeName: string): Promise<void> {
  if ((await hashOf(path)) === sha256) return;
  throw new OperatorError(
    `The backup ${name} in ${placeName} is damaged.`,
    `Use another one: petstore backups list ${placeName}`,
  );
}

/** The SHA-256 of a file. */
export async function hashOf(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  return hasher.digest('hex');
}

/** Undefined if the backup is incomplete or its manifest is not ours. */
async function readBackup(
  place: BackupPlace,
  name: string,
  files: ReadonlyMap<string, number>,
): Promise<Backup | undefined> {
  try {
    const backup = parseManifest(name, await place.read(manifestOf(name)));
    if (backup?.bytes !== files.get(name)) return undefined;
    const at: unknown = backup?.rehearsal?.at;
    if (!backup?.rehearsal || (at instanceof Date && isPast(at))) return backup;
    return { ...backup, rehearsal: undefined };
  } catch (error) {
    // Another process may have removed it in the meantime.
    if ((await place.list()).has(manifestOf(name))) throw error;
    return undefined;
  }
}

/** A complete backup, as its manifest describes it. */
export interface Backup extends StoreContent {
  /** The name of its file: `petstore-20261116T120000Z-4f3a9c.db`. */
  name: string;
  /** The backup contains everything that was acknowledged before this time. */
  createdAt: Date;
  bytes: number;
  sha256: string;
  /** The last rehearsal. */
  rehearsal?: Rehearsal | undefined;
}

/** The result of rehearsing a restore. */
export interface Rehearsal {
  at: Date;
  isSound: boolean;
  /** How long the restore took if it succeeded; otherwise `problem` says why not. */
  restoreMs?: number;
  problem?: string;
}

/** Names sort by time. The random suffix distinguishes backups made within one second. */
export function nameBackup(now: Date): string {
  const time = now.toISOString().replace(/\.\d+|[-:]/g, '');
  return `petstore-${time}-${randomBytes(3).toString('hex')}.db`;
}

/** The time in the name; undefined for files that are not backups. */
export function timeOfName(name: string): Date | undefined {
  const [, year, month, day, hour, minute, second] = backupName.exec(name) ?? [];
  if (year === undefined) return undefined;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

const backupName = /^petstore-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{6}\.db$/;

export function manifestOf(name: string): string {
  return name.replace(/\.db$/, '.json');
}

const times = ['createdAt', 'at'];

/** Undefined if the text is not this backup's manifest. */
function parseManifest(name: string, text: string): Backup | undefined {
  try {
    const backup = JSON.parse(text, (field, value) =>
      times.includes(field) ? new Date(value) : value,
    ) as Backup;
    const { createdAt, bytes, petCount, orderCount, keyCount } = backup;
    const isWhole = [createdAt.getTime(), bytes, petCount, orderCount, keyCount].every(Number.isSafeInteger);
    return backup.name === name && isWhole ? backup : undefined;
  } catch {
    return undefined;
  }
}
