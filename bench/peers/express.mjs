import express from 'express';
import { errorBody, nextLink, noKey, noPet, parsePet, parseQuery, settings } from './settings.mjs';
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
