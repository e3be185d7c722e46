import pg from 'pg';
import { createFastifyApp } from './fastify-app.mjs';
import { pageOf, settings, withoutNull } from './settings.mjs';

// int8 arrives as text unless it is told otherwise; the peers send numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: 10 });
const columns = 'id, name, category_id AS "categoryId", status';

/** Named statements are prepared once per connection, as node-postgres's guide recommends for speed. */
const pets = {
  async list({ limit = 20, status, cursor = 0 }) {
    const { rows } = status
      ? await pool.query({
          name: 'page-of-status',
          text: `SELECT ${columns} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`,
          values: [status, cursor, limit + 1],
        })
      : await pool.query({
          name: 'page',
          text: `SELECT ${columns} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`,
          values: [cursor, limit + 1],
        });
    return pageOf(rows, limit);
  },
  async get(id) {
    const { rows } = await pool.query({
      name: 'pet',
      text: `SELECT ${columns} FROM pets WHERE id = $1`,
      values: [id],
    });
    return rows[0] && withoutNull(rows[0]);
  },
  async create({ name, categoryId, status }) {
    const { rows } = await pool.query({
      name: 'create',
      text: `INSERT INTO pets (id, name, category_id, status) VALUES (nextval('pet_ids'), $1, $2, $3) RETURNING ${columns}`,
      values: [name, categoryId, status ?? null],
    });
    return withoutNull(rows[0]);
  },
};

const app = await createFastifyApp(pets);
await app.listen({ port: settings.port, host: settings.hostname });
