import { pageOf, settings, withoutNull } from './settings.mjs';

const { default: Database } = await import(process.versions.bun ? 'bun:sqlite' : 'better-sqlite3');
const database = new Database(settings.databaseUrl);
// WAL as the guides say; and, as the service, every commit synced.
database.exec('PRAGMA journal_mode = WAL');
database.exec('PRAGMA synchronous = FULL');

const columns = 'id, name, category_id AS categoryId, status';
const select = (rest) => database.prepare(`SELECT ${columns} FROM pets WHERE ${rest}`);
const selectPage = select('id > ? ORDER BY id LIMIT ?');
const selectPageOfStatus = select('status = ? AND id > ? ORDER BY id LIMIT ?');
const selectPet = select('id = ?');
const insertPet = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');

export const pets = {
  list({ limit = 20, status, cursor = 0 }) {
    const rows = status
      ? selectPageOfStatus.all(status, cursor, limit + 1)
      : selectPage.all(cursor, limit + 1);
    return pageOf(rows, limit);
  },
  get(id) {
    const row = selectPet.get(id);
    return row ? withoutNull(row) : undefined;
  },
  create({ name, categoryId, status }) {
    const { lastInsertRowid } = insertPet.run(name, categoryId, status ?? null);
    return { id: Number(lastInsertRowid), name, categoryId, ...(status && { status }) };
  },
};
