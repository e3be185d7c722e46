import { maxBodyBytes } from 'petstore-server/embed';
import { parseExactJson, renderExactJson } from '../conform/exact-json.ts';
import { isObject } from '../conform/pets.ts';
import { nextQuery } from '../conform/walk.ts';
import type { Fetch, Wrap } from './mutant.ts';

export const stableOperations = ['listPets', 'createPet', 'getPet'] as const;
export type OperationName = (typeof stableOperations)[number];

/** The operation of a request. HEAD counts as GET. */
export function operationOf({ method, url }: Request): OperationName | undefined {
  const { pathname } = new URL(url, 'http://localhost');
  const isRead = method === 'GET' || method === 'HEAD';
  if (pathname === '/v1/pets') return isRead ? 'listPets' : method === 'POST' ? 'createPet' : undefined;
  return isRead && /^\/v1\/pets\/[^/]+$/.test(pathname) ? 'getPet' : undefined;
}

/** Limits a mistake to some operations. */
export function forOperations(operations: readonly OperationName[], wrap: Wrap): Wrap {
  return (fetch, apiKey) => {
    const mistaken = wrap(fetch, apiKey);
    return (request) => {
      const operation = operationOf(request);
      return operation && operations.includes(operation) ? mistaken(request) : fetch(request);
    };
  };
}

export function editRequest(edit: (request: Request) => Request | Promise<Request>): Wrap {
  return (fetch) => async (request) => fetch(await edit(request));
}

export function editResponse(
  edit: (response: Response, request: Request) => Response | Promise<Response>,
): Wrap {
  return (fetch) => async (request) => edit(await fetch(request), request);
}

export function editHeaders(edit: (headers: Headers, response: Response, request: Request) => void): Wrap {
  return editResponse((response, request) => {
    const { status, body } = response;
    const headers = new Headers(response.headers);
    edit(headers, response, request);
    return new Response(body, { status, headers });
  });
}

export function removeHeader(name: string): Wrap {
  return editHeaders((headers) => headers.delete(name));
}

/** Copies a response with another body, and optionally another status or media type. */
export function withBody(
  response: Response,
  body: string | null,
  { status = response.status, contentType }: { status?: number; contentType?: string } = {},
): Response {
  const headers = new Headers(response.headers);
  headers.delete('Content-Length');
  if (body === null) headers.delete('Content-Type');
  else if (contentType !== undefined) headers.set('Content-Type', contentType);
  return new Response(body, { status, headers });
}

/** Changes the JSON of every successful response with a body. */
export function editSuccess(
  operations: readonly OperationName[],
  edit: (value: unknown, request: Request) => unknown,
): Wrap {
  return forOperations(
    operations,
    editResponse((response, request) => {
      return response.ok ? withJson(response, (value) => edit(value, request)) : response;
    }),
  );
}

/** Changes the JSON of a response, unless it has no body. */
export async function withJson(response: Response, edit: (value: unknown) => unknown): Promise<Response> {
  if (response.body === null) return response;
  return withBody(response, renderExactJson(edit(parseExactJson(await response.text()))));
}

/** Changes the pets of every page. */
export function editPage(edit: (pets: Fields[], request: Request) => unknown): Wrap {
  return editSuccess(['listPets'], (pets, request) => edit(pets as Fields[], request));
}

/** Changes every pet that these operations return. */
export function editPets(operations: readonly OperationName[], edit: (pet: Fields) => Fields): Wrap {
  return editSuccess(operations, (value) =>
    Array.isArray(value) ? value.map((pet: Fields) => edit(pet)) : edit(value as Fields),
  );
}

/** Changes the body of every error, or of those with one of these statuses. */
export function editErrors(edit: (error: Fields) => unknown, statuses?: readonly number[]): Wrap {
  return editResponse((response) => {
    const isMeant = statuses?.includes(response.status) ?? response.status >= 400;
    return isMeant ? withJson(response, (error) => edit(error as Fields)) : response;
  });
}

/** Changes the body of a create if it is a JSON object. Unchanged fields are sent byte for byte. */
export function editNewPet(edit: (pet: Fields) => Fields): Wrap {
  return editNewPetText((text) => {
    const pet = parseObject(text);
    if (!pet) return text;
    const edited = renderExactJson(edit(pet));
    return edited === renderExactJson(pet) ? text : edited;
  });
}

/** Changes the text of a create, unless it is too long or not text. */
export function editNewPetText(edit: (text: string) => string): Wrap {
  return editRequest(async (request) => {
    const bytes = new Uint8Array(await request.arrayBuffer());
    const text = bytes.length > maxBodyBytes ? undefined : decode(bytes);
    const edited = text === undefined ? undefined : edit(text);
    return withRequestBody(request, edited === undefined || edited === text ? bytes : edited);
  });
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function withRequestBody(request: Request, body: string | Uint8Array<ArrayBuffer>): Request {
  const headers = new Headers(request.headers);
  headers.set('Content-Length', String(Buffer.byteLength(body)));
  return new Request(request.url, { method: request.method, headers, body });
}

/** A copy, so that both bodies can be read. */
export function copyOf(request: Request): Request {
  return request.clone() as Request;
}

/** Copies a request with another URL. */
export function withUrl(request: Request, edit: (url: URL) => void): Request {
  const url = new URL(request.url);
  edit(url);
  return new Request(url.href, request);
}

export function withHeader(request: Request, name: string, value: string | null): Request {
  const headers = new Headers(request.headers);
  if (value === null) headers.delete(name);
  else headers.set(name, value);
  return new Request(request, { headers });
}

/** Turns a response into an error with this status. A response to HEAD still has no body. */
export function refuseAs(response: Response, status: number, code = 'failed'): Response {
  const body = JSON.stringify({ code, message: 'The request is refused.', status });
  return withBody(response, response.body === null ? null : body, { status });
}

/** The limit in a request, if the service accepts it. */
export function limitOf({ url }: Request): number | undefined {
  const limits = new URL(url).searchParams.getAll('limit').join();
  return /^(?:[1-9]\d?|100)$/.test(limits) ? Number(limits) : undefined;
}

/** Changes a list parameter that occurs exactly once; undefined removes it. */
export function editParameter(name: string, edit: (value: string) => string | undefined): Wrap {
  const editUrl = ({ searchParams }: URL) => {
    const [value, ...others] = searchParams.getAll(name);
    if (value === undefined || others.length > 0) return;
    const edited = edit(value);
    if (edited === undefined) searchParams.delete(name);
    else searchParams.set(name, edited);
  };
  return editRequest((request) => withUrl(request, editUrl));
}

/** Reads a page with another limit; its `Link` keeps the request's limit. */
export function readPageOf(limitFor: (limit: number) => number): Wrap {
  return (fetch) => async (request) => {
    const limit = limitOf(request);
    if (limit === undefined) return fetch(request);
    const response = await fetch(
      withUrl(request, (url) => url.searchParams.set('limit', String(limitFor(limit)))),
    );
    return withLink(response, (link) => link.replace(/limit=\d+/, `limit=${limit}`));
  };
}

export function withLink(response: Response, edit: (link: string) => string | undefined): Response {
  const link = response.headers.get('Link');
  if (link === null) return response;
  const headers = new Headers(response.headers);
  const edited = edit(link);
  if (edited === undefined) headers.delete('Link');
  else headers.set('Link', edited);
  return new Response(response.body, { status: response.status, headers });
}

/** Every pet in the store, whatever the request's filters. */
export async function readAllPets(fetch: Fetch, request: Request): Promise<Fields[]> {
  const pets: Fields[] = [];
  let query: string | undefined = '?limit=100';
  while (query !== undefined) {
    const search: string = query;
    const page: Response = await fetch(withUrl(request, (url) => (url.search = search)));
    pets.push(...(parseExactJson(await page.text()) as Fields[]));
    query = nextQuery(page);
  }
  return pets;
}

/** The fields of a JSON object, with exact numbers. */
export type Fields = Record<string, unknown>;

/** The object in a text; undefined if the text is anything else. */
export function parseObject(text: string): Fields | undefined {
  try {
    const value = parseExactJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function without(fields: Fields, name: string): Fields {
  const { [name]: _left, ...rest } = fields;
  return rest;
}

/** Appends the field if it is missing. */
export function withDefault(fields: Fields, name: string, value: unknown): Fields {
  return Object.hasOwn(fields, name) ? fields : { ...fields, [name]: value };
}
