/**
 * A backup is a file and a manifest. The manifest is written last and removed first, so a backup that was interrupted at
 * any moment is not in the list.
 */

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { OperatorError } from '../domain/error.ts';
import { hashOf } from './hash.ts';
import {
  isBackupName,
  manifestOf,
  parseManifest,
  renderManifest,
  timeOfName,
  type Backup,
} from './manifest.ts';
import type { BackupPlace } from './place.ts';

/** The whole backups of a place, oldest first by their own dates. */
export async function listBackups(place: BackupPlace): Promise<Backup[]> {
  const files = await place.list();
  const names = [...files.keys()].filter((name) => isBackupName(name) && files.has(manifestOf(name)));
  const backups: Backup[] = [];
  for (let start = 0; start < names.length; start += readAtOnce) {
    const read = names.slice(start, start + readAtOnce).map((name) => readManifest(place, name));
    for (const backup of await Promise.all(read)) {
      if (backup && files.get(backup.name) === backup.bytes) backups.push(backup);
    }
  }
  return backups.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
}

const readAtOnce = 16;

/** Adds a file that was verified. */
export async function addBackup(place: BackupPlace, draft: string, backup: Backup): Promise<void> {
  try {
    await place.add(backup.name, draft, backup.sha256);
    await place.write(manifestOf(backup.name), renderManifest(backup));
  } catch (error) {
    // If the place cannot be used now, a later backup removes what is left; it does not count.
    await removeBackup(place, backup.name).catch(() => {});
    throw error;
  }
}

export async function removeBackup(place: BackupPlace, name: string): Promise<void> {
  await place.remove(manifestOf(name));
  await place.remove(name);
}

/** Copies a backup to a path of this machine, and checks that it is what was backed up. */
export async function fetchBackup(place: BackupPlace, backup: Backup, path: string): Promise<void> {
  await place.fetch(backup.name, path);
  await refuseDamaged(backup, path, place.name);
}

/** Checks a file that an operator names against the manifest beside it, if there is one. Nothing else covers the keys. */
export async function checkFile(path: string): Promise<void> {
  const name = basename(path);
  if (!isBackupName(name) || !existsSync(path) || !existsSync(manifestOf(path))) return;
  const backup = parseManifest(name, readFileSync(manifestOf(path), 'utf8'));
  if (backup) await refuseDamaged(backup, path, dirname(path));
}

async function refuseDamaged({ name, sha256 }: Backup, path: string, placeName: string): Promise<void> {
  if ((await hashOf(Bun.file(path))) === sha256) return;
  throw new OperatorError(
    `The backup ${name} in ${placeName} is damaged.`,
    `Use another one: petstore backups list ${placeName}`,
  );
}

const abandonedAfterMs = 86_400_000;

/** Files of backups that were interrupted long ago. A younger one may still be under way. */
export function findAbandoned(files: ReadonlyMap<string, number>, now: Date): string[] {
  return [...files.keys()].filter((name) => {
    const time = timeOfName(name.replace(/\.json$/, '.db').replace(/\.\d+\.partial$/, ''));
    if (time === undefined || now.getTime() - time.getTime() < abandonedAfterMs) return false;
    const counterpart = name.endsWith('.db') ? manifestOf(name) : name.replace(/\.json$/, '.db');
    return name.endsWith('.partial') || !files.has(counterpart);
  });
}

async function readManifest(place: BackupPlace, name: string): Promise<Backup | undefined> {
  try {
    return parseManifest(name, await place.read(manifestOf(name)));
  } catch (error) {
    // Another process may have thinned it out since.
    if ((await place.list()).has(manifestOf(name))) throw error;
    return undefined;
  }
}
