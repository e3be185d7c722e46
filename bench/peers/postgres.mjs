import { pageOf, settings, withoutNull } from './settings.mjs';

/** Runs a statement that the driver prepares once per connection. int8 must be a number: both drivers give text. */
const query = await (process.versions.bun ? connectPostgresJs() : connectPg());
const columns = 'id, name, category_id AS "categoryId", status';
const page = `SELECT ${columns} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`;
const pageOfStatus = `SELECT ${columns} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`;
const pet = `SELECT ${columns} FROM pets WHERE id = $1`;
const insert = `INSERT INTO pets (id, name, category_id, status) VALUES (nextval('pet_ids'), $1, $2, $3) RETURNING ${columns}`;
const update = `UPDATE pets SET name = coalesce($2, name), category_id = coalesce($3, category_id), status = coalesce($4, status) WHERE id = $1 RETURNING ${columns}`;

export const pets = {
  async list({ limit = 20, status, cursor = 0 }) {
    const rows = await (status
      ? query('page-of-status', pageOfStatus, [status, cursor, limit + 1])
      : query('page', page, [cursor, limit + 1]));
    return pageOf(rows, limit);
  },
  async get(id) {
    const [row] = await query('pet', pet, [id]);
    return row && withoutNull(row);
  },
  async create({ name, categoryId, status }) {
    const [row] = await query('create', insert, [name, categoryId, status ?? null]);
    return withoutNull(row);
  },
  async update(id, { name, categoryId, status }) {
    const [row] = await query('update', update, [id, name ?? null, categoryId ?? null, status ?? null]);
    return row && withoutNull(row);
  },
};

async function connectPg() {
  const { Pool, types } = (await import('pg')).default;
  types.setTypeParser(types.builtins.INT8, Number);
  const pool = new Pool({ connectionString: settings.databaseUrl, max: 10 });
  return async (name, text, values) => (await pool.query({ name, text, values })).rows;
}

async function connectPostgresJs() {
  const int8 = { to: 20, from: [20], parse: Number, serialize: String };
  const sql = (await import('postgres')).default(settings.databaseUrl, { types: { int8 } });
  return async (_, text, values) => [...(await sql.unsafe(text, values, { prepare: true }))];
}
