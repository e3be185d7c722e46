import { Database } from 'bun:sqlite';
import { createSamplePets, sampleCategories } from '../../../domain/sample-pets.ts';
import { createInsert, storedCategories } from '../rows.ts';
import { makeSchema } from '../schema.ts';
import { createPetInsert } from './import.ts';

export interface SampleStoreOptions {
  /** The seed of the random numbers. */
  seed: number;
  /** How many sample pets the store holds. */
  count: number;
}

/** Creates a store of sample pets without syncing the disk, which is fine for tests. */
export function makeSampleStore(path: string, { seed, count }: SampleStoreOptions): void {
  using database = new Database(path, { readwrite: true, strict: true, create: true });
  database.run('PRAGMA synchronous = OFF');
  database.run('PRAGMA journal_mode = WAL');
  makeSchema(database);
  const insert = createPetInsert(database);
  const insertCategories = createInsert(database, storedCategories);
  database.transaction(() => {
    insert(Array.from({ length: count }, createSamplePets(seed)));
    insertCategories(sampleCategories.map(storedCategories.valuesOf));
  })();
}
