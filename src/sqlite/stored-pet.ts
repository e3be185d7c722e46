import { PetstoreError } from '../error.ts';
import type { NewPet, Page } from '../pet.ts';

/**
 * A pet is kept as the JSON that callers get, rendered once, when it is written. To read a page is then to join
 * texts, and an id of 64 bits never passes through a JavaScript number. SQLite does not notice when a disk
 * gives back other bytes than it was given, so each text has its checksum beside it.
 */
export interface StoredPet {
  json: string;
  checksum: number;
}

/** The columns of a {@link StoredPet}. */
export const storedPetColumns = 'json, checksum';

/** The pet without its id, which only the writer knows: the rest of its JSON. */
export function renderFields({ name, categoryId, status }: NewPet): string {
  const statusField = status === undefined ? '' : `,"status":"${status}"`;
  return `"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusField}}`;
}

export function renderPet(id: bigint | string, fields: string): string {
  return `{"id":${id},${fields}`;
}

export function checksumOf(json: string): number {
  return Bun.hash.crc32(json);
}

/** Whether a text is as it was written, and for this id: the key of its row may be damaged, too. */
export function isIntact({ json, checksum }: StoredPet, id: bigint | string): boolean {
  return checksumOf(json) === checksum && json.startsWith(renderPet(id, ''));
}

/** The text as it was written, or an error when it is not that any more. */
export function verified({ json, checksum }: StoredPet): string {
  if (checksumOf(json) !== checksum) throw damagedPet(json);
  return json;
}

/** The same, of a pet that was looked up by its id. */
export function verifiedWithId(pet: StoredPet, id: bigint): string {
  if (!isIntact(pet, id)) throw damagedPet(pet.json);
  return pet.json;
}

/** A page as SQLite joins it: the JSON array of its pets, the sum of their checksums, whether more follow. */
export interface JoinedPets {
  json: string | null;
  checksums: number;
  hasMore: 0 | 1;
}

/**
 * Joins the pets after the id `?1` whose ids are at most `?2` larger, in the order of the ids that SQLite walks.
 * Unlike `sum`, `total` does not fail when damaged numbers overflow.
 */
export const selectJoinedPets = `
  SELECT '[' || group_concat(json) || ']' AS json, total(checksum) AS checksums,
    (SELECT max(id) FROM pets) > ?1 + ?2 AS hasMore
  FROM pets WHERE id > ?1 AND id <= ?1 + ?2`;

/** Stands between two joined pets and nowhere else: a quote within a name is escaped. */
const boundary = ',{"id":';

/**
 * The page, unless it has not `count` pets or one of them is not as it was written: several that are not would have
 * to cancel each other out in the sum, by a chance of 1 in 2^32.
 */
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

function damagedPet(json: string): PetstoreError {
  return new PetstoreError('unavailable', 'The store is damaged and has to be restored by its operator.', {
    cause: new Error(
      `The database file is damaged: a pet in it is not as it was written (${json.slice(0, 40)}…). ` +
        'Put a backup in its place: petstore restore FILE --force',
    ),
  });
}

/** The id in a rendered pet, whose first field it is. */
export function idOf(json: string): bigint {
  return BigInt(json.slice('{"id":'.length, json.indexOf(',')));
}
