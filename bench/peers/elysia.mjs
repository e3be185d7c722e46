import { createElysiaApp, newPet, pageQuery, petParams } from './elysia-app.mjs';
import { nextLink, noPet, settings } from './settings.mjs';
import { openPets } from './sqlite.mjs';

const pets = openPets();

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
  .get('/v1/pets/:id', ({ params, status }) => pets.get(params.id) ?? status(404, noPet), {
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
