import { pageOf, withoutNull } from './settings.mjs';

const columns = 'id, name, category_id AS categoryId, status';

/**
 * The queries of the SQLite peers, prepared once. `prepare` is that of better-sqlite3 or bun:sqlite, whose
 * statements have the same methods.
 */
export function createPets(prepare) {
  const selectPage = prepare(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`);
  const selectPageOfStatus = prepare(
    `SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const selectPet = prepare(`SELECT ${columns} FROM pets WHERE id = ?`);
  const insertPet = prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');

  return {
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
}
