import Database from 'better-sqlite3';
import { settings } from './settings.mjs';
import { createPets } from './sqlite.mjs';

/** As better-sqlite3's own guide: WAL; and, as the service, every commit synced. */
export function openPets() {
  const database = new Database(settings.databaseUrl);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  return createPets((sql) => database.prepare(sql));
}
