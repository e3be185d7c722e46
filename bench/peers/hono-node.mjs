import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { etag } from 'hono/etag';
import { HTTPException } from 'hono/http-exception';
import { validator } from 'hono/validator';
import { openPets } from './better-sqlite.mjs';
import { errorBody, nextLink, settings, statuses } from './settings.mjs';

const pets = openPets();
const app = new Hono();
const unauthorized = errorBody('unauthorized', 'An API key is needed.', 401);

app.use(
  bearerAuth({
    token: settings.apiKey,
    noAuthenticationHeader: { message: unauthorized },
    invalidAuthenticationHeader: { message: unauthorized },
    invalidToken: { message: unauthorized },
  }),
);
if (settings.withEtag) app.use(etag());

const pageQuery = validator('query', ({ limit = '20', status, cursor = '0' }, c) => {
  const query = { limit: Number(limit), status, cursor: Number(cursor) };
  if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > 100) {
    return c.json(errorBody('invalid_parameter', 'limit must be from 1 to 100.', 400), 400);
  }
  if (status !== undefined && !statuses.includes(status)) {
    return c.json(errorBody('invalid_parameter', 'status is unknown.', 400), 400);
  }
  if (!Number.isInteger(query.cursor)) {
    return c.json(errorBody('invalid_cursor', 'cursor must be an integer.', 400), 400);
  }
  return query;
});

const newPet = validator('json', ({ name, categoryId, status }, c) => {
  const isValid =
    typeof name === 'string' &&
    Number.isInteger(categoryId) &&
    (status === undefined || statuses.includes(status));
  if (!isValid) return c.json(errorBody('invalid_pet', 'The pet is not valid.', 400), 400);
  return { name, categoryId, status };
});

app.get('/v1/pets', pageQuery, (c) => {
  const query = c.req.valid('query');
  const page = pets.list(query);
  if (page.next) c.header('Link', nextLink(query, page.next));
  return c.json(page.pets);
});

app.get('/v1/pets/:id', (c) => {
  const found = pets.get(Number(c.req.param('id')));
  return found ? c.json(found) : c.json(errorBody('not_found', 'No pet has this id.', 404), 404);
});

app.post('/v1/pets', newPet, (c) => {
  const created = pets.create(c.req.valid('json'));
  c.header('Location', `/v1/pets/${created.id}`);
  return c.json(created, 201);
});

app.notFound((c) => c.json(errorBody('not_found', 'Nothing is found at this address.', 404), 404));
app.onError((error, c) => {
  if (!(error instanceof HTTPException)) return c.json(errorBody('internal', error.message, 500), 500);
  return error.res ?? c.json(errorBody('invalid_request', error.message, error.status), error.status);
});

serve({ fetch: app.fetch, port: settings.port, hostname: settings.hostname });
