import type { Database } from 'bun:sqlite';
import type { NewPet } from '../../src/domain/pet.ts';
import { petColumns, petRow } from '../../src/sqlite/stored-pet.ts';

/** Puts a pet into a database file past the service, with an id that the service would not assign. */
export function insertPet(database: Database, id: bigint, pet: NewPet): void {
  database.query(`INSERT INTO pets (${petColumns}) VALUES (?, ?, ?, ?, ?)`).run(...petRow(id, pet));
}
