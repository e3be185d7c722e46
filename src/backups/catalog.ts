/**
 * A backup is a file and a manifest. The manifest is written last and removed first, so an interrupted backup is never
 * listed. A rehearsal adds a third file, which is removed with the backup.
 */

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { OperatorError } from '../domain/error.ts';
import {
  manifestOf,
  parseManifest,
  parseRehearsal,
  rehearsalOf,
  renderManifest,
  timeOfName,
  type Backup,
  type Rehearsal,
} from './manifest.ts';
import { openFolder } from './folder.ts';
import { survey, type Survey } from './keep.ts';
import { hashOf, isS3, type BackupPlace, type Environment } from './place.ts';
import { openS3 } from './s3.ts';

/** Opens the place behind a folder's name or an s3: URL. */
export function openPlace(name: string, environment: Environment): BackupPlace {
  return isS3(name) ? openS3(name, environment) : openFolder(name);
}

/** The complete backups of a place, sorted by their own dates, oldest first. Warns about foreign manifests. */
export async function listBackups(place: BackupPlace, warn = (_text: string): void => {}): Promise<Backup[]> {
  const files = await place.list();
  const names = [...files.keys()].filter((name) => timeOfName(name) && files.has(manifestOf(name)));
  const backups: Backup[] = [];
  for (let start = 0; start < names.length; start += readAtOnce) {
    const read = names.slice(start, start + readAtOnce).map((name) => readBackup(place, name, files, warn));
    for (const backup of await Promise.all(read)) {
      if (backup && files.get(backup.name) === backup.bytes) backups.push(backup);
    }
  }
  return backups.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
}

const readAtOnce = 16;

/** Decides which backups of a place count, and warns about the others. */
export async function surveyPlace(place: BackupPlace, warn: (text: string) => void): Promise<Survey<Backup>> {
  const backups = survey(await listBackups(place, warn), new Date());
  for (const { name } of backups.fromFuture) {
    warn(`${name} in ${place.name} is dated in the future and ignored. Was the clock wrong?`);
  }
  return backups;
}

/** Adds a backup of a store. `make` writes it to a local path and verifies it. */
export async function addBackup(
  place: BackupPlace,
  name: string,
  store: string,
  make: (draft: string) => Promise<Backup>,
): Promise<Backup> {
  try {
    const backup = await place.add(name, store, make);
    await place.write(manifestOf(name), renderManifest(backup));
    return backup;
  } catch (error) {
    // If the place fails, a later backup removes the remains, which do not count.
    await removeBackup(place, name).catch(() => {});
    throw error;
  }
}

export async function removeBackup(place: BackupPlace, name: string): Promise<void> {
  for (const file of [manifestOf(name), rehearsalOf(name), name]) await place.remove(file);
}

/** Replaces the record of an earlier rehearsal. */
export async function recordRehearsal(place: BackupPlace, name: string, rehearsal: Rehearsal): Promise<void> {
  await place.write(rehearsalOf(name), `${JSON.stringify(rehearsal, null, 2)}\n`);
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
  if ((await hashOf(Bun.file(path).stream())) === sha256) return;
  throw new OperatorError(
    `The backup ${name} in ${placeName} is damaged.`,
    `Use another one: petstore backups list ${placeName}`,
  );
}

const abandonedAfterMs = 86_400_000;

/** Files of backups that were interrupted long ago. A younger one may still be running. */
export function findAbandoned(files: ReadonlyMap<string, number>, now: Date): string[] {
  return [...files.keys()].filter((file) => {
    const name = file.replace(/(?:\.rehearsal)?\.json$/, '.db');
    const time = timeOfName(name);
    if (time === undefined || now.getTime() - time.getTime() < abandonedAfterMs) return false;
    return !files.has(name) || !files.has(manifestOf(name));
  });
}

/** Manifests and records of rehearsals are smaller than 1 KiB. */
const maxSmallBytes = 64 * 1024;

async function readBackup(
  place: BackupPlace,
  name: string,
  files: ReadonlyMap<string, number>,
  warn: (text: string) => void,
): Promise<Backup | undefined> {
  const read = async (file: string): Promise<string> => {
    // The list's sizes need not be true: the place never reads more than this.
    const text = (files.get(file) ?? 0) > maxSmallBytes ? undefined : await place.read(file, maxSmallBytes);
    if (text === undefined) warn(`${file} in ${place.name} is larger than 64 KiB and ignored.`);
    return text ?? '';
  };
  try {
    const backup = parseManifest(name, await read(manifestOf(name)));
    if (!backup || !files.has(rehearsalOf(name))) return backup;
    return { ...backup, rehearsal: parseRehearsal(await read(rehearsalOf(name))) };
  } catch (error) {
    // Another process may have removed it in the meantime.
    if ((await place.list()).has(manifestOf(name))) throw error;
    return undefined;
  }
}
