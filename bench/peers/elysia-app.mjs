import { bearer } from '@elysiajs/bearer';
import { Elysia, t } from 'elysia';
import { errorBody, noKey, settings } from './settings.mjs';

const status = t.Optional(t.Union([t.Literal('available'), t.Literal('pending'), t.Literal('sold')]));
const limit = t.Integer({ minimum: 1, maximum: 100, default: 20 });
export const pageQuery = t.Object({ limit, status, cursor: t.Optional(t.Integer()) });
export const petParams = t.Object({ id: t.Integer() });
export const newPet = t.Object({ name: t.String(), categoryId: t.Integer(), status });

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
    .onBeforeHandle(({ bearer: token, status: respond }) => {
      if (token !== settings.apiKey) return respond(401, noKey);
    });
}
