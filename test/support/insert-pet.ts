import type { Database } from 'bun:sqlite';
import type { NewPet } from '../../src/domain/pet.ts';
import { insertSql, storedPets } from '../../src/stores/sqlite/rows.ts';

/** Puts a pet into a database file past the service, with an id that the service would not assign. */
export function insertPet(database: Database, id: bigint, pet: NewPet): void {
  database.query(insertSql(storedPets)).run(...storedPets.valuesOf({ ...pet, id }));
}
