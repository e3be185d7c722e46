import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { HTTPException } from 'hono/http-exception';
import { validator } from 'hono/validator';
import { errorBody, nextLink, noKey, noPet, parsePet, parseQuery, settings } from './settings.mjs';
import { pets } from './sqlite.mjs';

const app = new Hono();
const cases = ['noAuthenticationHeader', 'invalidAuthenticationHeader', 'invalidToken'];
const refusals = Object.fromEntries(cases.map((name) => [name, { message: noKey }]));
app.use(bearerAuth({ token: settings.apiKey, ...refusals }));

const validate = (target, parse) =>
  validator(target, (given, c) => {
    const { value, error } = parse(given);
    return error ? c.json(error, 400) : value;
  });

app.get('/v1/pets', validate('query', parseQuery), (c) => {
  const query = c.req.valid('query');
  const page = pets.list(query);
  if (page.next) c.header('Link', nextLink(query, page.next));
  return c.json(page.pets);
});

app.get('/v1/pets/:id', (c) => {
  const found = pets.get(Number(c.req.param('id')));
  return found ? c.json(found) : c.json(noPet, 404);
});

app.post('/v1/pets', validate('json', parsePet), (c) => {
  const created = pets.create(c.req.valid('json'));
  c.header('Location', `/v1/pets/${created.id}`);
  return c.json(created, 201);
});

app.onError((error, c) => {
  if (!(error instanceof HTTPException)) return c.json(errorBody('internal', error.message, 500), 500);
  return error.res ?? c.json(errorBody('invalid_request', error.message, error.status), error.status);
});

serve({ fetch: app.fetch, port: settings.port, hostname: settings.hostname });
