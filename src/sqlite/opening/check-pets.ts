import type { Database } from 'bun:sqlite';
import type { Report } from '../../progress.ts';
import { damaged } from '../errors.ts';
import { isIntact, storedPetColumns, type RenderedPet } from '../stored-pet.ts';

const petsPerReport = 10_000;

/** Reads every pet, since SQLite does not notice a byte that has changed within a text. Returns how many there are. */
export function refuseDamagedPets(database: Database, path: string, report: Report): number {
  const { total } = database.query('SELECT count(*) AS total FROM pets').get() as { total: number };
  const checksums = database.query(`SELECT 1 FROM pragma_table_info('pets') WHERE name = 'checksum'`).all();
  // An older release has made it, and nobody has opened it since.
  if (checksums.length === 0) return total;
  const pets = database.query<RenderedPet & { id: string }, []>(
    `SELECT CAST(id AS TEXT) AS id, ${storedPetColumns} FROM pets`,
  );
  using progress = report.progress('pets read', total);
  let count = 0;
  for (const pet of pets.iterate()) {
    if (!isIntact(pet, pet.id)) throw damaged(path);
    count += 1;
    if (count % petsPerReport === 0) progress.add(petsPerReport);
  }
  progress.add(count % petsPerReport);
  return count;
}
