import postgres from 'postgres';
import { createElysiaApp, newPet, pageQuery, petParams } from './elysia-app.mjs';
import { nextLink, noPet, pageOf, settings, withoutNull } from './settings.mjs';

const sql = postgres(settings.databaseUrl, {
  // int8 arrives as text unless told otherwise; the peers send numbers.
  types: { int8: { to: 20, from: [20], parse: Number, serialize: String } },
});
const columns = sql`id, name, category_id AS "categoryId", status`;

const pets = {
  async list({ limit = 20, status, cursor = 0 }) {
    const filter = status ? sql`AND status = ${status}` : sql``;
    const rows = await sql`
      SELECT ${columns} FROM pets WHERE id > ${cursor} ${filter} ORDER BY id LIMIT ${limit + 1}`;
    return pageOf([...rows], limit);
  },
  async get(id) {
    const [row] = await sql`SELECT ${columns} FROM pets WHERE id = ${id}`;
    return row && withoutNull(row);
  },
  async create({ name, categoryId, status }) {
    const [row] = await sql`
      INSERT INTO pets (id, name, category_id, status)
      VALUES (nextval('pet_ids'), ${name}, ${categoryId}, ${status ?? null}) RETURNING ${columns}`;
    return withoutNull(row);
  },
};

createElysiaApp()
  .get(
    '/v1/pets',
    async ({ query, set }) => {
      const page = await pets.list(query);
      if (page.next) set.headers.link = nextLink(query, page.next);
      return page.pets;
    },
    { query: pageQuery },
  )
  .get('/v1/pets/:id', async ({ params, status }) => (await pets.get(params.id)) ?? status(404, noPet), {
    params: petParams,
  })
  .post(
    '/v1/pets',
    async ({ body, set }) => {
      const created = await pets.create(body);
      set.status = 201;
      set.headers.location = `/v1/pets/${created.id}`;
      return created;
    },
    { body: newPet },
  )
  .listen(settings);
