import express from 'express';
import { errorBody, nextLink, noKey, noPet, settings, statuses } from './settings.mjs';
import { pets } from './sqlite.mjs';

const app = express();
// Its default is an ETag for every response, which no other peer makes.
app.set('etag', false);
app.disable('x-powered-by');

app.use((request, response, next) => {
  if (request.get('authorization') === `Bearer ${settings.apiKey}`) return next();
  response.status(401).json(noKey);
});

app.get('/v1/pets', (request, response) => {
  const { value: query, error } = parseQuery(request.query);
  if (error) return response.status(400).json(error);
  const page = pets.list(query);
  if (page.next) response.set('Link', nextLink(query, page.next));
  response.json(page.pets);
});

app.get('/v1/pets/:id', (request, response) => {
  const found = pets.get(Number(request.params.id));
  if (found) return response.json(found);
  response.status(404).json(noPet);
});

app.post('/v1/pets', express.json(), (request, response) => {
  const { value: pet, error } = parsePet(request.body);
  if (error) return response.status(400).json(error);
  const created = pets.create(pet);
  response.status(201).location(`/v1/pets/${created.id}`).json(created);
});

// Four parameters are what makes it an error handler.
app.use((error, request, response, next) => {
  if (response.headersSent) return next(error);
  const status = error.status ?? 500;
  response.status(status).json(errorBody(error.type ?? 'internal', error.message, status));
});

app.listen(settings.port, settings.hostname);

/** The query of a list: its value, or the error that it has. */
function parseQuery({ limit = '20', status, cursor = '0' }) {
  const value = { limit: Number(limit), status, cursor: Number(cursor) };
  const isLimit = Number.isInteger(value.limit) && value.limit >= 1 && value.limit <= 100;
  if (!isLimit) return invalid('limit must be from 1 to 100.');
  if (status !== undefined && !statuses.includes(status)) return invalid('status is unknown.');
  return Number.isInteger(value.cursor) ? { value } : invalid('cursor must be an integer.');
}

/** The same for a new pet. */
function parsePet({ name, categoryId, status } = {}) {
  const hasStatus = status === undefined || statuses.includes(status);
  const isPet = typeof name === 'string' && Number.isInteger(categoryId) && hasStatus;
  return isPet ? { value: { name, categoryId, status } } : invalid('The pet is not valid.');
}

function invalid(message) {
  return { error: errorBody('invalid_request', message, 400) };
}
