import { Database } from 'bun:sqlite';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashKey } from '../../src/domain/api-key.ts';
import { copyByHand } from '../../test/support/crashed-store.ts';
import { makeFolder } from '../../test/support/process/process.ts';

/** Something that must not be. It ends the sequence: the model no longer knows what the world is like. */
export class Fault extends Error {}

export interface KnownKey {
  id: string;
  isRevoked: boolean;
}

/** What is known of one store, or of a backup of it. */
export interface StoreModel {
  /** Where the file is, without links. */
  path: string;
  /** The ids of acknowledged pets by name; each name is given to one pet only. */
  pets: Map<string, number>;
  /** Names of pets that were not acknowledged, and may be there all the same. */
  unsure: Set<string>;
  /** By the key itself. */
  keys: Map<string, KnownKey>;
  /** The largest id that was ever acknowledged: no new pet may have it. */
  largestId: number;
}

export function createModel(path: string): StoreModel {
  return { path, pets: new Map(), unsure: new Set(), keys: new Map(), largestId: 0 };
}

/** The same content at another path. */
export function cloneModel(model: StoreModel, path: string): StoreModel {
  const keys = new Map([...model.keys].map(([text, key]) => [text, { ...key }]));
  return { ...model, path, pets: new Map(model.pets), unsure: new Set(model.unsure), keys };
}

/** A store that was restored: keys that the replaced one had revoked stay revoked, and no id is given again. */
export function restoredModel(backup: StoreModel, replaced: StoreModel): StoreModel {
  const restored = cloneModel(backup, replaced.path);
  for (const [text, key] of restored.keys) key.isRevoked ||= replaced.keys.get(text)?.isRevoked ?? false;
  restored.largestId = Math.max(backup.largestId, replaced.largestId);
  return restored;
}

interface FoundPet {
  id: number;
  name: string;
}

/** Compares what a store shows with the model, and learns what was unsure. */
export function compareWith(model: StoreModel, found: readonly FoundPet[], where: string): void {
  const problems: string[] = [];
  const byName = Map.groupBy(found, ({ name }) => name);
  if (new Set(found.map(({ id }) => id)).size < found.length) problems.push('an id is there twice');
  for (const [name, id] of model.pets) {
    const shown = byName.get(name)?.[0]?.id;
    if (shown !== id) problems.push(`${name} was acknowledged with the id ${id} and has ${shown}`);
  }
  for (const [name, pets] of byName) {
    if (pets.length > 1) problems.push(`${name} is there ${pets.length} times`);
    if (model.pets.has(name)) continue;
    if (!model.unsure.delete(name)) problems.push(`${name} is there, and nobody has put it there`);
    // What was shown once stays.
    for (const { id } of pets) acknowledge(model, name, id);
  }
  if (problems.length > 0) throw new Fault(`${where}: ${problems.join('; ')}`);
}

export function acknowledge(model: StoreModel, name: string, id: number): void {
  model.unsure.delete(name);
  model.pets.set(name, id);
  model.largestId = Math.max(model.largestId, id);
}

/** Compares a store that nobody uses, by a copy, so that its own files stay as they are. */
export function judgeFile(model: StoreModel): void {
  using folder = makeFolder();
  const copy = join(folder.path, 'copy.db');
  copyByHand(model.path, copy, ['', '-wal']);
  using database = new Database(copy, { readwrite: true, create: false });
  const [check] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all();
  if (check?.integrity_check !== 'ok') throw new Fault(`${model.path} is damaged`);
  const pets = database.query<FoundPet, []>("SELECT id, json ->> 'name' AS name FROM pets").all();
  compareWith(model, pets, model.path);
  const select = database.query<{ isRevoked: number }, [string]>(
    'SELECT revoked_at IS NOT NULL AS isRevoked FROM api_keys WHERE hash = ?1',
  );
  for (const [text, { id, isRevoked }] of model.keys)
    if (select.get(hashKey(text))?.isRevoked !== Number(isRevoked))
      throw new Fault(
        `${model.path}: key ${id} is ${isRevoked ? 'not revoked any more' : 'lost or revoked'}`,
      );
}

export function removeStore(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}
