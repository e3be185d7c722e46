import bearerAuth from '@fastify/bearer-auth';
import etag from '@fastify/etag';
import Fastify from 'fastify';
import { errorBody, nextLink, settings, statuses } from './settings.mjs';

const id = { type: 'integer' };
const status = { type: 'string', enum: statuses };
const pet = {
  type: 'object',
  properties: { id, name: { type: 'string' }, categoryId: { type: 'integer' }, status },
};
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: { name: { type: 'string' }, categoryId: { type: 'integer' }, status },
};
const pageQuery = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    status,
    cursor: { type: 'integer' },
  },
};

/** Fastify with schemas for what comes in and what goes out, as its guide recommends. */
export async function createFastifyApp(pets) {
  const app = Fastify();
  if (settings.withEtag) await app.register(etag);
  await app.register(bearerAuth, {
    keys: new Set([settings.apiKey]),
    errorResponse: (error) => errorBody('unauthorized', error.message, 401),
  });
  app.setErrorHandler((error, request, reply) => {
    const code = error.validation ? 400 : (error.statusCode ?? 500);
    reply.status(code).send(errorBody(error.code ?? 'internal', error.message, code));
  });
  app.setNotFoundHandler((request, reply) => {
    reply.status(404).send(errorBody('not_found', 'Nothing is found at this address.', 404));
  });

  app.get(
    '/v1/pets',
    { schema: { querystring: pageQuery, response: { 200: { type: 'array', items: pet } } } },
    async (request, reply) => {
      const page = await pets.list(request.query);
      if (page.next) reply.header('link', nextLink(request.query, page.next));
      return page.pets;
    },
  );
  app.get(
    '/v1/pets/:id',
    { schema: { params: { type: 'object', properties: { id } }, response: { 200: pet } } },
    async (request, reply) => {
      const found = await pets.get(request.params.id);
      if (found) return found;
      return reply.status(404).send(errorBody('not_found', 'No pet has this id.', 404));
    },
  );
  app.post('/v1/pets', { schema: { body: newPet, response: { 201: pet } } }, async (request, reply) => {
    const created = await pets.create(request.body);
    reply.status(201).header('location', `/v1/pets/${created.id}`);
    return created;
  });
  return app;
}
