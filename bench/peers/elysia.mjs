import { createElysiaApp, newPet, pageQuery, petParams } from './elysia-app.mjs';
import { nextLink, noPet, settings } from './settings.mjs';
import { openPets } from './sqlite.mjs';

const pets = openPets();

const getPet = ({ params, status }) => pets.get(params.id) ?? status(404, noPet);

const listPets = ({ query, set }) => {
  const page = pets.list(query);
  if (page.next) set.headers.link = nextLink(query, page.next);
  return page.pets;
};

const createPet = ({ body, set }) => {
  const created = pets.create(body);
  set.status = 201;
  set.headers.location = `/v1/pets/${created.id}`;
  return created;
};

createElysiaApp()
  .get('/v1/pets', listPets, { query: pageQuery })
  .get('/v1/pets/:id', getPet, { params: petParams })
  .post('/v1/pets', createPet, { body: newPet })
  .listen(settings);
