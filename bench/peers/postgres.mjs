import pg from 'pg';
import { pageOf, settings, withoutNull } from './settings.mjs';

// int8 arrives as text unless told otherwise; the peers send numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: 10 });
const columns = 'id, name, category_id AS "categoryId", status';
const page = `SELECT ${columns} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`;
const pageOfStatus = `SELECT ${columns} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`;
const pet = `SELECT ${columns} FROM pets WHERE id = $1`;
const insert = `INSERT INTO pets (id, name, category_id, status) VALUES (nextval('pet_ids'), $1, $2, $3) RETURNING ${columns}`;

/** Named statements are prepared once per connection, as node-postgres's guide recommends for speed. */
export const pets = {
  async list({ limit = 20, status, cursor = 0 }) {
    const { rows } = status
      ? await pool.query({ name: 'page-of-status', text: pageOfStatus, values: [status, cursor, limit + 1] })
      : await pool.query({ name: 'page', text: page, values: [cursor, limit + 1] });
    return pageOf(rows, limit);
  },
  async get(id) {
    const { rows } = await pool.query({ name: 'pet', text: pet, values: [id] });
    return rows[0] && withoutNull(rows[0]);
  },
  async create({ name, categoryId, status }) {
    const values = [name, categoryId, status ?? null];
    const { rows } = await pool.query({ name: 'create', text: insert, values });
    return withoutNull(rows[0]);
  },
};
