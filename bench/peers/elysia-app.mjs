import { bearer } from '@elysiajs/bearer';
import { Elysia, t } from 'elysia';
import { errorBody, nextLink, settings } from './settings.mjs';

const status = t.Union([t.Literal('available'), t.Literal('pending'), t.Literal('sold')]);

/** Elysia with its bearer plugin and schemas, as its guide recommends. */
export function createElysiaApp(pets) {
  return new Elysia()
    .use(bearer())
    .onError(({ code, error, set }) => {
      if (code === 'NOT_FOUND') set.status = 404;
      else set.status = code === 'VALIDATION' || code === 'PARSE' ? 400 : 500;
      return errorBody(String(code).toLowerCase(), error.message, set.status);
    })
    .onBeforeHandle(({ bearer: token, status: respond }) => {
      if (token !== settings.apiKey)
        return respond(401, errorBody('unauthorized', 'An API key is needed.', 401));
    })
    .get(
      '/v1/pets',
      async ({ query, set }) => {
        const page = await pets.list(query);
        if (page.next) set.headers.link = nextLink(query, page.next);
        return page.pets;
      },
      {
        query: t.Object({
          limit: t.Integer({ minimum: 1, maximum: 100, default: 20 }),
          status: t.Optional(status),
          cursor: t.Optional(t.Integer()),
        }),
      },
    )
    .get(
      '/v1/pets/:id',
      async ({ params, status: respond }) =>
        (await pets.get(params.id)) ?? respond(404, errorBody('not_found', 'No animal has this id.', 404)),
      { params: t.Object({ id: t.Integer() }) },
    )
    .post(
      '/v1/pets',
      async ({ body, set }) => {
        const created = await pets.create(body);
        set.status = 201;
        set.headers.location = `/v1/pets/${created.id}`;
        return created;
      },
      { body: t.Object({ name: t.String(), categoryId: t.Integer(), status: t.Optional(status) }) },
    );
}
