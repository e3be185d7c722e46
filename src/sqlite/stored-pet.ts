import { PetstoreError } from '../error.ts';
import type { NewPet, Page } from '../pet.ts';

/**
 * An animal is kept as the JSON that callers get, rendered once, when it is written. To read a page is then to join
 * texts, and an id of 64 bits never passes through a JavaScript number. SQLite does not notice when a disk
 * gives back other bytes than it was given, so each text has its checksum beside it.
 */
export interface StoredPet {
  json: string;
  checksum: number;
}

/** The columns of a {@link StoredPet}. */
export const storedPetColumns = 'json, checksum';

/** The animal without its id, which only the writer knows: the rest of its JSON. */
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

/** The text as it was written, or an error when it is not that any more. */
export function verified({ json, checksum }: StoredPet): string {
  if (checksumOf(json) !== checksum) throw damagedPet(json);
  return json;
}

/** The same, of an animal that was looked up by its id: the key of its row may be damaged, too. */
export function verifiedWithId(pet: StoredPet, id: bigint): string {
  const json = verified(pet);
  if (!json.startsWith(renderPet(id, ''))) throw damagedPet(json);
  return json;
}

/** Animals as SQLite joins them: their texts with commas between, and the sum of their checksums. */
export interface JoinedPets {
  json: string | null;
  checksums: number;
}

/** The columns of {@link JoinedPets}. Unlike `sum`, `total` does not fail when damaged numbers overflow. */
export const joinedPetsColumns = 'group_concat(json) AS json, total(checksum) AS checksums';

/** Stands between two joined animals and nowhere else: a quote within a name is escaped. */
const boundary = ',{"id":';

/**
 * The joined animals but for the last, which shows that another page follows. Undefined unless they are `count`, all of
 * them as they were written: texts that are not would have to cancel each other out in the sum, by a chance of 1 in 2^32.
 */
export function verifiedPage({ json, checksums }: JoinedPets, count: number): Page | undefined {
  if (json === null) return undefined;
  let found = 1;
  let sum = 0;
  let previous = 0;
  let start = 0;
  for (let end = json.indexOf(boundary); end !== -1; end = json.indexOf(boundary, start)) {
    sum += checksumOf(json.slice(start, end));
    previous = start;
    start = end + 1;
    found += 1;
  }
  sum += checksumOf(json.slice(start));
  if (found !== count || sum !== checksums) return undefined;
  return { json: `[${json.slice(0, start - 1)}]`, next: idOf(json.slice(previous, start)) };
}

function damagedPet(json: string): PetstoreError {
  return new PetstoreError('unavailable', 'The store is damaged and has to be restored by its operator.', {
    cause: new Error(
      `The database file is damaged: an animal in it is not as it was written (${json.slice(0, 40)}…). ` +
        'Put a backup in its place: petstore restore FILE --force',
    ),
  });
}

/** The id in a rendered animal, whose first field it is. */
export function idOf(json: string): bigint {
  return BigInt(json.slice('{"id":'.length, json.indexOf(',')));
}
