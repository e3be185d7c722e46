import { type PetstoreError, storeDamaged } from '../../domain/error.ts';
import { foldName } from '../../domain/fold.ts';
import { type NewPet, type Pet, renderFields, renderPet } from '../../domain/pet.ts';
import { idOf, type Page } from '../store.ts';
import type { ColumnValue } from '../tables.ts';

/**
 * A pet is stored as the JSON that callers get, rendered once, when it is written. A page only joins these texts, and
 * an int64 never passes through a JavaScript number. SQLite does not notice if a disk returns wrong bytes, so each text
 * has a checksum beside it.
 */
export interface RenderedPet {
  json: string;
  checksum: number;
}

/** The columns of a {@link RenderedPet}. */
export const storedPetColumns = 'json, checksum';
export const selectStoredPet = `CAST(id AS TEXT) AS id, ${storedPetColumns}`;

/** How pets are stored. Readers check each row. The last two columns are for searches; see `search.ts`. */
export const storedPets = {
  name: 'pets',
  columns: {
    id: 'bigint',
    status: 'text',
    json: 'text',
    checksum: 'bigint',
    folded_name: 'text',
    category_id: 'bigint',
  },
  keyLength: 1,
  valuesOf: (pet: Pet) => rowOfPet(pet.id, pet, renderPet(pet.id, renderFields(pet))),
} as const;

/** The values of the columns of {@link storedPets}. */
export function rowOfPet(id: bigint, { name, categoryId, status }: NewPet, json: string): ColumnValue[] {
  return [id, status ?? null, json, checksumOf(json), foldName(name), categoryId];
}

export function checksumOf(json: string): number {
  return Bun.hash.crc32(json);
}

/** Whether the text is undamaged and belongs to this id: the row's key may be damaged too. */
export function isIntact({ json, checksum }: RenderedPet, id: bigint | string): boolean {
  return checksumOf(json) === checksum && json.startsWith(renderPet(id, ''));
}

/** The text, checked. Throws if it is damaged. */
export function verified({ json, checksum }: RenderedPet): string {
  if (checksumOf(json) !== checksum) throw damagedRow('a pet', json);
  return json;
}

/** Like `verified`, for a pet that was looked up by its id. */
export function verifiedWithId(pet: RenderedPet, id: bigint): string {
  if (!isIntact(pet, id)) throw damagedRow('a pet', pet.json);
  return pet.json;
}

/** A page that SQLite has joined. */
export interface JoinedPets {
  /** The JSON array of its pets. */
  json: string | null;
  /** The sum of their checksums, each times its pet's position in the order of ids. */
  checksums: number;
  hasMore: 0 | 1;
}

/**
 * Joins the pets with the `?2` ids after `?1`, which is a full page unless ids have gaps there. One text then crosses
 * into JavaScript instead of one per pet. Unlike `sum`, `total` does not fail if damaged numbers overflow. SQLite may
 * join in any order; an ORDER BY costs more than comparing the positions does.
 */
export const selectJoinedPets = `
  SELECT '[' || group_concat(json) || ']' AS json, total(checksum * (id - ?1)) AS checksums,
    (SELECT max(id) FROM pets) > ?1 + ?2 AS hasMore
  FROM pets WHERE id > ?1 AND id <= ?1 + ?2`;

/** Occurs only between two joined pets, because a quote within a name is escaped. */
const boundary = ',{"id":';

/** The page, unless it has fewer than `count` pets, another order or a wrong checksum. */
export function verifiedPage({ json, checksums, hasMore }: JoinedPets, count: number): Page | undefined {
  if (json === null) return undefined;
  let found = 1;
  let sum = 0;
  let start = '['.length;
  for (let end = json.indexOf(boundary); end !== -1; end = json.indexOf(boundary, start)) {
    sum += found * checksumOf(json.slice(start, end));
    start = end + ','.length;
    found += 1;
  }
  const last = json.slice(start, -']'.length);
  sum += found * checksumOf(last);
  if (found !== count || sum !== checksums) return undefined;
  return hasMore ? { json, next: idOf(last) } : { json };
}

/** The error for a damaged row. The start of its text usually tells which one it is. */
export function damagedRow(kind: 'a pet' | 'an order', text: string): PetstoreError {
  return storeDamaged(
    new Error(
      `The database file is damaged: ${kind} in it is not as it was written (${text.slice(0, 40)}…). ` +
        'Put a backup in its place: petstore restore FILE --force',
    ),
  );
}
