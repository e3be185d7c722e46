import { bearer } from '@elysiajs/bearer';
import { Elysia, t } from 'elysia';
import { errorBody, settings } from './settings.mjs';

const petStatus = t.Union([t.Literal('available'), t.Literal('pending'), t.Literal('sold')]);

export const pageQuery = t.Object({
  limit: t.Integer({ minimum: 1, maximum: 100, default: 20 }),
  status: t.Optional(petStatus),
  cursor: t.Optional(t.Integer()),
});
export const petParams = t.Object({ id: t.Integer() });
export const newPet = t.Object({
  name: t.String(),
  categoryId: t.Integer(),
  status: t.Optional(petStatus),
});
export const noAnimal = errorBody('not_found', 'No pet has this id.', 404);

/**
 * Elysia with its bearer plugin and error handler, as its guide recommends. The routes are the callers': Elysia
 * reads the source of a handler and serves one that is not async without a promise.
 */
export function createElysiaApp() {
  return new Elysia()
    .use(bearer())
    .onError(({ code, error, set }) => {
      if (code === 'NOT_FOUND') set.status = 404;
      else set.status = code === 'VALIDATION' || code === 'PARSE' ? 400 : 500;
      return errorBody(String(code).toLowerCase(), error.message, set.status);
    })
    .onBeforeHandle(({ bearer: token, status }) => {
      if (token !== settings.apiKey)
        return status(401, errorBody('unauthorized', 'An API key is needed.', 401));
    });
}
