import express from 'express';
import { openPets } from './better-sqlite.mjs';
import { errorBody, nextLink, settings, statuses } from './settings.mjs';

const pets = openPets();
const app = express();
// Its default is an ETag for every answer; the others make one only where it is asked for.
app.set('etag', settings.withEtag ? 'weak' : false);
app.disable('x-powered-by');

app.use((request, response, next) => {
  if (request.get('authorization') === `Bearer ${settings.apiKey}`) return next();
  response.status(401).json(errorBody('unauthorized', 'An API key is needed.', 401));
});

app.get('/v1/pets', (request, response) => {
  const { limit = '20', status, cursor } = request.query;
  const query = { limit: Number(limit), status, cursor: Number(cursor ?? 0) };
  if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > 100) {
    return response.status(400).json(errorBody('invalid_parameter', 'limit must be from 1 to 100.', 400));
  }
  if (status !== undefined && !statuses.includes(status)) {
    return response.status(400).json(errorBody('invalid_parameter', 'status is unknown.', 400));
  }
  if (!Number.isInteger(query.cursor)) {
    return response.status(400).json(errorBody('invalid_cursor', 'cursor must be an integer.', 400));
  }
  const page = pets.list(query);
  if (page.next) response.set('Link', nextLink(query, page.next));
  response.json(page.pets);
});

app.get('/v1/pets/:id', (request, response) => {
  const found = pets.get(Number(request.params.id));
  if (found) return response.json(found);
  response.status(404).json(errorBody('not_found', 'No pet has this id.', 404));
});

app.post('/v1/pets', express.json(), (request, response) => {
  const { name, categoryId, status } = request.body ?? {};
  const isValid =
    typeof name === 'string' &&
    Number.isInteger(categoryId) &&
    (status === undefined || statuses.includes(status));
  if (!isValid) return response.status(400).json(errorBody('invalid_pet', 'The pet is not valid.', 400));
  const created = pets.create({ name, categoryId, status });
  response.status(201).location(`/v1/pets/${created.id}`).json(created);
});

// Four parameters are what makes it an error handler.
app.use((error, request, response, next) => {
  if (response.headersSent) return next(error);
  const status = error.status ?? 500;
  response.status(status).json(errorBody(error.type ?? 'internal', error.message, status));
});

app.listen(settings.port, settings.hostname);
