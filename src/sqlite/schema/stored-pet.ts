import { PetstoreError } from '../../domain/error.ts';
import { foldName } from '../../domain/fold.ts';
import { idOf, type Page } from '../../domain/paging.ts';
import { renderFields, renderPet, type Pet } from '../../domain/pet.ts';

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

export type Value = string | number | bigint | null;

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
  valuesOf(pet: Pet): Value[] {
    const json = renderPet(pet.id, renderFields(pet));
    return [pet.id, pet.status ?? null, json, checksumOf(json), foldName(pet.name), pet.categoryId];
  },
} as const;

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

/** A page that SQLite has joined: the JSON array of its pets and the sum of their checksums. */
export interface JoinedPets {
  json: string | null;
  checksums: number;
  hasMore: 0 | 1;
}

/**
 * Joins the pets with the `?2` ids after `?1`, which is a full page unless ids have gaps there. One text then crosses
 * into JavaScript instead of one per pet. Unlike `sum`, `total` does not fail if damaged numbers overflow. The subquery
 * sorts, because `group_concat` would sort once more.
 */
export const selectJoinedPets = `
  SELECT '[' || group_concat(json) || ']' AS json, total(checksum) AS checksums,
    (SELECT max(id) FROM pets) > ?1 + ?2 AS hasMore
  FROM (SELECT json, checksum FROM pets WHERE id > ?1 AND id <= ?1 + ?2 ORDER BY id)`;

/** Occurs only between two joined pets, because a quote within a name is escaped. */
const boundary = ',{"id":';

/** The page, unless it has fewer than `count` pets or a wrong sum of checksums. */
export function verifiedPage({ json, checksums, hasMore }: JoinedPets, count: number): Page | undefined {
  if (json === null) return undefined;
  let found = 1;
  let sum = 0;
  let start = '['.length;
  for (let end = json.indexOf(boundary); end !== -1; end = json.indexOf(boundary, start)) {
    sum += checksumOf(json.slice(start, end));
    start = end + ','.length;
    found += 1;
  }
  const last = json.slice(start, -']'.length);
  sum += checksumOf(last);
  if (found !== count || sum !== checksums) return undefined;
  return hasMore ? { json, next: idOf(last) } : { json };
}

/** The error for a damaged row. The start of its text usually tells which one it is. */
export function damagedRow(kind: 'a pet' | 'an order', text: string): PetstoreError {
  return new PetstoreError('unavailable', 'The store is damaged and has to be restored by its operator.', {
    cause: new Error(
      `The database file is damaged: ${kind} in it is not as it was written (${text.slice(0, 40)}…). ` +
        'Put a backup in its place: petstore restore FILE --force',
    ),
  });
}
