import { bearer } from '@elysiajs/bearer';
import { Elysia, t } from 'elysia';
import { errorBody, isOnPostgres, nextLink, noKey, noPet, settings } from './settings.mjs';

/** Elysia with schemas, its bearer plugin and an error handler, as its guide recommends. */
const { pets } = await import(isOnPostgres ? './postgres.mjs' : './sqlite.mjs');

const status = t.Optional(t.Union([t.Literal('available'), t.Literal('pending'), t.Literal('sold')]));
const limit = t.Integer({ minimum: 1, maximum: 100, default: 20 });
const pageQuery = t.Object({ limit, status, cursor: t.Optional(t.Integer()) });
const petParams = t.Object({ id: t.Integer() });
const newPet = t.Object({ name: t.String(), categoryId: t.Integer(), status });

// Elysia reads the source of a handler and serves one that is not async without a promise.
const ofSqlite = {
  list: ({ query, set }) => {
    const page = pets.list(query);
    if (page.next) set.headers.link = nextLink(query, page.next);
    return page.pets;
  },
  get: ({ params, status }) => pets.get(params.id) ?? status(404, noPet),
  create: ({ body, set }) => {
    const created = pets.create(body);
    set.status = 201;
    set.headers.location = `/v1/pets/${created.id}`;
    return created;
  },
};
const ofPostgres = {
  list: async ({ query, set }) => {
    const page = await pets.list(query);
    if (page.next) set.headers.link = nextLink(query, page.next);
    return page.pets;
  },
  get: async ({ params, status }) => (await pets.get(params.id)) ?? status(404, noPet),
  create: async ({ body, set }) => {
    const created = await pets.create(body);
    set.status = 201;
    set.headers.location = `/v1/pets/${created.id}`;
    return created;
  },
  update: async ({ params, body, status }) => (await pets.update(params.id, body)) ?? status(404, noPet),
};
const handlers = isOnPostgres ? ofPostgres : ofSqlite;

const app = new Elysia()
  .use(bearer())
  .onError(({ code, error, set }) => {
    if (code === 'NOT_FOUND') set.status = 404;
    else set.status = code === 'VALIDATION' || code === 'PARSE' ? 400 : 500;
    return errorBody(String(code).toLowerCase(), error.message, set.status);
  })
  .onBeforeHandle(({ bearer: token, status: respond }) => {
    if (token !== settings.apiKey) return respond(401, noKey);
  })
  .get('/v1/pets', handlers.list, { query: pageQuery })
  .get('/v1/pets/:id', handlers.get, { params: petParams })
  .post('/v1/pets', handlers.create, { body: newPet });
if (isOnPostgres) app.patch('/v1/pets/:id', handlers.update, { params: petParams, body: t.Partial(newPet) });
app.listen(settings);
