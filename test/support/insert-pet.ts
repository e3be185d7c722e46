import type { Database } from 'bun:sqlite';
import { renderFields, renderPet, type NewPet } from '../../src/domain/pet.ts';
import { checksumOf } from '../../src/sqlite/stored-pet.ts';

/** Puts a pet into a database file past the service, with an id that the service would not assign. */
export function insertPet(database: Database, id: bigint, pet: NewPet): void {
  const json = renderPet(id, renderFields(pet));
  database
    .query('INSERT INTO pets (id, status, json, checksum) VALUES (?1, ?2, ?3, ?4)')
    .run(id, pet.status ?? null, json, checksumOf(json));
}
