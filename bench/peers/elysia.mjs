import { Database } from 'bun:sqlite';
import { createElysiaApp, newPet, noAnimal, pageQuery, petParams } from './elysia-app.mjs';
import { nextLink, settings } from './settings.mjs';
import { createPets } from './sqlite.mjs';

const database = new Database(settings.databaseUrl, { strict: true });
database.run('PRAGMA journal_mode = WAL');
database.run('PRAGMA synchronous = FULL');
const pets = createPets((sql) => database.query(sql));

createElysiaApp()
  .get(
    '/v1/pets',
    ({ query, set }) => {
      const page = pets.list(query);
      if (page.next) set.headers.link = nextLink(query, page.next);
      return page.pets;
    },
    { query: pageQuery },
  )
  .get('/v1/pets/:id', ({ params, status }) => pets.get(params.id) ?? status(404, noAnimal), {
    params: petParams,
  })
  .post(
    '/v1/pets',
    ({ body, set }) => {
      const created = pets.create(body);
      set.status = 201;
      set.headers.location = `/v1/pets/${created.id}`;
      return created;
    },
    { body: newPet },
  )
  .listen(settings);
