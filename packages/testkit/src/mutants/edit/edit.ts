import { maxBodyBytes } from 'petstore-server/embed';
import { parseExactJson } from '../../conform/exact-json.ts';
import { parseObject, type Fields } from './fields.ts';
import type { Wrap } from '../mutant.ts';

export type OperationName = 'listPets' | 'createPet' | 'getPet';

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
    editResponse(async (response, request) => {
      if (!response.ok || response.body === null) return response;
      return withBody(response, JSON.stringify(edit(parseExactJson(await response.text()), request)));
    }),
  );
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
  return editResponse(async (response) => {
    if (response.status < 400 || response.body === null) return response;
    if (statuses && !statuses.includes(response.status)) return response;
    return withBody(response, JSON.stringify(edit(parseExactJson(await response.text()) as Fields)));
  });
}

/** Changes the body of a create if it is a JSON object. Unchanged fields are sent byte for byte. */
export function editNewPet(edit: (pet: Fields) => Fields): Wrap {
  return editNewPetText((text) => {
    const pet = parseObject(text);
    if (!pet) return text;
    const edited = JSON.stringify(edit(pet));
    return edited === JSON.stringify(pet) ? text : edited;
  });
}

/** Changes the text of a create, unless it is too long or not text. */
export function editNewPetText(edit: (text: string) => string): Wrap {
  return forOperations(
    ['createPet'],
    editRequest(async (request) => {
      const bytes = new Uint8Array(await request.arrayBuffer());
      const text = bytes.length > maxBodyBytes ? undefined : decode(bytes);
      const edited = text === undefined ? undefined : edit(text);
      return withRequestBody(request, edited === undefined || edited === text ? bytes : edited);
    }),
  );
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
