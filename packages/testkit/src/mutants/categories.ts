import { copyOf, editHeaders, editPets, editRequest, editResponse, withBody, withHeader } from './edit.ts';
import { strict } from './mutant.ts';

// Only categories have a PUT.
export const categoryMutants = strict([
  {
    number: 217,
    name: 'category-first-name-200',
    description: 'PUT of a first name is 200.',
    wrap: editResponse(async (response, { method }) => {
      const isFirst = method === 'PUT' && response.status === 201;
      return isFirst ? withBody(response, await response.text(), { status: 200 }) : response;
    }),
  },
  {
    number: 218,
    name: 'category-if-none-match-ignored',
    description: 'PUT ignores If-None-Match and replaces a name.',
    wrap: editRequest((request) =>
      request.method === 'PUT' ? withHeader(request, 'If-None-Match', null) : request,
    ),
  },
  {
    number: 219,
    name: 'category-same-name-event',
    description: 'PUT of the name that the number has already is an event.',
    wrap(fetch) {
      let last = '';
      return async (request) => {
        const { url, method, headers } = request;
        const text = `${method} ${url} ${await copyOf(request).text()}`;
        // The name changes for a moment, so the same one is a change.
        const body = '{"name":"another"}';
        if (method === 'PUT' && text === last) await fetch(new Request(url, { method, headers, body }));
        const response = await fetch(request);
        if (response.ok) last = text;
        return response;
      };
    },
  },
  {
    number: 220,
    name: 'category-delete-changes-pets',
    operation: 'deleteCategory',
    description: 'DELETE of a category gives its pets the number 0.',
    wrap(fetch, apiKey) {
      const removed = new Set<string>();
      const edited = editPets(['getPet', 'listPets'], (pet) =>
        removed.has(String(pet['categoryId'])) ? { ...pet, categoryId: 0 } : pet,
      )(fetch, apiKey);
      return async (request) => {
        const response = await edited(request);
        const number = numberOf(request);
        if (request.method === 'DELETE' && number !== undefined && response.ok) removed.add(number);
        return response;
      };
    },
  },
  {
    number: 221,
    name: 'category-get-other-etag',
    operation: 'getCategory',
    description: 'GET of a category has another ETag than PUT has sent.',
    wrap: editHeaders((headers, _response, request) => {
      if (request.method === 'GET' && numberOf(request)) headers.set('ETag', '"another"');
    }),
  },
  {
    number: 222,
    name: 'category-get-without-name-200',
    operation: 'getCategory',
    description: 'GET of a number without a name is 200, with an empty name.',
    wrap: editResponse((response, request) => {
      const number = numberOf(request);
      if (request.method !== 'GET' || number === undefined || response.status !== 404) return response;
      return withBody(response, `{"id":${number},"name":""}`, { status: 200 });
    }),
  },
]);

/** The number that a request is about, if it is about one category. */
function numberOf({ url }: Request): string | undefined {
  return /\/v1\/categories\/([^/]+)$/.exec(url)?.[1];
}
