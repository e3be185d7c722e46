import { Database } from 'bun:sqlite';
import { createSamplePets } from '../../domain/sample-pets.ts';
import { migrate } from '../migrate.ts';
import { createInsert } from './import.ts';

export interface SampleStoreOptions {
  /** Where the random numbers of the sample pets start. */
  seed: number;
  /** How many sample pets the store holds. */
  count: number;
}

/** Makes a store of sample pets, without a single sync of the disk: it is for tests, which outlive no power cut. */
export function makeSampleStore(path: string, { seed, count }: SampleStoreOptions): void {
  using database = new Database(path, { readwrite: true, strict: true, create: true });
  database.run('PRAGMA synchronous = OFF');
  database.run('PRAGMA journal_mode = WAL');
  migrate(database);
  const insert = createInsert(database);
  database.transaction(() => insert(Array.from({ length: count }, createSamplePets(seed))))();
}
