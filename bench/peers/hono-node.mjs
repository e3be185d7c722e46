import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { etag } from 'hono/etag';
import { HTTPException } from 'hono/http-exception';
import { validator } from 'hono/validator';
import { errorBody, nextLink, noKey, noPet, parsePet, parseQuery, settings } from './settings.mjs';
import { openPets } from './sqlite.mjs';

const pets = openPets();
const app = new Hono();
const refused = { message: noKey };
const token = settings.apiKey;
app.use(
  bearerAuth({
    token,
    noAuthenticationHeader: refused,
    invalidAuthenticationHeader: refused,
    invalidToken: refused,
  }),
);
if (settings.withEtag) app.use(etag());

const pageQuery = validator('query', (given, c) => {
  const { query, error } = parseQuery(given);
  return error ? c.json(error, 400) : query;
});
const newPet = validator('json', (given, c) => {
  const { pet, error } = parsePet(given);
  return error ? c.json(error, 400) : pet;
});

app.get('/v1/pets', pageQuery, (c) => {
  const query = c.req.valid('query');
  const page = pets.list(query);
  if (page.next) c.header('Link', nextLink(query, page.next));
  return c.json(page.pets);
});

app.get('/v1/pets/:id', (c) => {
  const found = pets.get(Number(c.req.param('id')));
  return found ? c.json(found) : c.json(noPet, 404);
});

app.post('/v1/pets', newPet, (c) => {
  const created = pets.create(c.req.valid('json'));
  c.header('Location', `/v1/pets/${created.id}`);
  return c.json(created, 201);
});

app.onError((error, c) => {
  if (!(error instanceof HTTPException)) return c.json(errorBody('internal', error.message, 500), 500);
  return error.res ?? c.json(errorBody('invalid_request', error.message, error.status), error.status);
});

serve({ fetch: app.fetch, port: settings.port, hostname: settings.hostname });
