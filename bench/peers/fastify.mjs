import bearerAuth from '@fastify/bearer-auth';
import Fastify from 'fastify';
import { errorBody, isOnPostgres, nextLink, noPet, settings, statuses } from './settings.mjs';

/** Fastify with schemas for what comes in and what goes out, as its guide recommends. */
const { pets } = await import(isOnPostgres ? './postgres.mjs' : './sqlite.mjs');

const [id, name, categoryId] = [{ type: 'integer' }, { type: 'string' }, { type: 'integer' }];
const status = { type: 'string', enum: statuses };
const pet = { type: 'object', properties: { id, name, categoryId, status } };
const newPet = { type: 'object', required: ['name', 'categoryId'], properties: { name, categoryId, status } };
const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 };
const pageQuery = { type: 'object', properties: { limit, status, cursor: { type: 'integer' } } };

const app = Fastify();
await app.register(bearerAuth, {
  keys: new Set([settings.apiKey]),
  errorResponse: (error) => errorBody('unauthorized', error.message, 401),
});
app.setErrorHandler((error, request, reply) => {
  const code = error.validation ? 400 : (error.statusCode ?? 500);
  reply.status(code).send(errorBody(error.code ?? 'internal', error.message, code));
});

const listSchema = { querystring: pageQuery, response: { 200: { type: 'array', items: pet } } };
app.get('/v1/pets', { schema: listSchema }, async (request, reply) => {
  const page = await pets.list(request.query);
  if (page.next) reply.header('link', nextLink(request.query, page.next));
  return page.pets;
});

const getSchema = { params: { type: 'object', properties: { id } }, response: { 200: pet } };
app.get('/v1/pets/:id', { schema: getSchema }, async (request, reply) => {
  const found = await pets.get(request.params.id);
  return found ?? reply.status(404).send(noPet);
});

app.post('/v1/pets', { schema: { body: newPet, response: { 201: pet } } }, async (request, reply) => {
  const created = await pets.create(request.body);
  reply.status(201).header('location', `/v1/pets/${created.id}`);
  return created;
});

if (isOnPostgres) {
  const { properties } = newPet;
  const updateSchema = { ...getSchema, body: { type: 'object', properties } };
  app.patch('/v1/pets/:id', { schema: updateSchema }, async (request, reply) => {
    const updated = await pets.update(request.params.id, request.body);
    return updated ?? reply.status(404).send(noPet);
  });
}

await app.listen({ port: settings.port, host: settings.hostname });
