import { createElysiaApp, newPet, pageQuery, petParams } from './elysia-app.mjs';
import { pets } from './postgres.mjs';
import { nextLink, noPet, settings } from './settings.mjs';

const getPet = async ({ params, status }) => (await pets.get(params.id)) ?? status(404, noPet);

const listPets = async ({ query, set }) => {
  const page = await pets.list(query);
  if (page.next) set.headers.link = nextLink(query, page.next);
  return page.pets;
};

const createPet = async ({ body, set }) => {
  const created = await pets.create(body);
  set.status = 201;
  set.headers.location = `/v1/pets/${created.id}`;
  return created;
};

createElysiaApp()
  .get('/v1/pets', listPets, { query: pageQuery })
  .get('/v1/pets/:id', getPet, { params: petParams })
  .post('/v1/pets', createPet, { body: newPet })
  .listen(settings);
