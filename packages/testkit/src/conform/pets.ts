import { JsonNumber, parseExactJson, renderExactJson, toInt64 } from './exact-json.ts';
import type { Api, ApiRequest, Exchange } from './api.ts';
import { createReason, expectStatus, expectThat, operationOf } from './mismatch.ts';

/** A pet as the service returned it, exact to the last digit. */
export interface SeenPet {
  id: bigint;
  /** The field's value, of any type. */
  name: unknown;
  /** Undefined if it is not an int64. */
  categoryId: bigint | undefined;
  /** The field's value, of any type. */
  status: unknown;
  /** The id and the categoryId as received. */
  integers: unknown[];
  fieldNames: string[];
  /** The pet as received, for people. */
  text: string;
}

/** The categoryId is JSON text, so that it can be any number. */
export interface SentPet {
  name: string;
  categoryId: string;
  status?: string;
}

const jsonType = { 'Content-Type': 'application/json' };

/** A request that creates a pet with this body. */
export function post(
  body: NonNullable<ApiRequest['body']>,
  headers: Record<string, string> = {},
): ApiRequest {
  return { method: 'POST', path: '/pets', headers: { ...jsonType, ...headers }, body };
}

export function renderPet({ name, categoryId, status }: SentPet): string {
  const end = status === undefined ? '' : `,"status":${JSON.stringify(status)}`;
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${end}}`;
}

/** A pet to create, whose name says which run and which check created it. */
export function newPet(api: Api, what: string, categoryId = '1'): SentPet {
  return { name: `conform ${api.runId} ${what}`, categoryId: api.categoryId ?? categoryId };
}

/** Creates an ordinary pet; fails unless the response is 201 with a pet. */
export async function createPet(api: Api, pet: SentPet): Promise<SeenPet> {
  const exchange = await api.send(post(renderPet(pet)));
  // A service that refuses ordinary pets refuses unusual ones for that reason too.
  expectThat(exchange.status === 201, exchange, 'status 201', undefined, createReason(exchange.status));
  return readPet(exchange, 201);
}

export function getPet(api: Api, id: bigint | string): Promise<Exchange> {
  return api.send({ path: `/pets/${id}` });
}

export function listPets(api: Api, query = ''): Promise<Exchange> {
  return api.send({ path: `/pets${query}` });
}

/** Requests several lists at once. */
export function listAll(api: Api, queries: string[]): Promise<Exchange[]> {
  return Promise.all(queries.map((query) => listPets(api, query)));
}

export async function readList(api: Api, query = ''): Promise<SeenPet[]> {
  return readPets(await listPets(api, query));
}

/** The pet in a response; fails if there is none. */
export function readPet(exchange: Exchange, status = 200): SeenPet {
  expectStatus(exchange, status);
  return toPet(parseBody(exchange), exchange);
}

export function readPets(exchange: Exchange): SeenPet[] {
  return readArray(exchange).map((item) => toPet(item, exchange));
}

/** The items of a list, of any type. */
export function readArray(exchange: Exchange): unknown[] {
  expectStatus(exchange, 200);
  const value = parseBody(exchange);
  const expected = 'a JSON array, not an object around one';
  expectThat(Array.isArray(value), exchange, expected, undefined, 'a list is an array');
  return value;
}

export function parseBody(exchange: Exchange): unknown {
  try {
    return parseExactJson(exchange.text);
  } catch {
    const expected = exchange.status < 400 ? 'a body of JSON' : 'an Error body, which is JSON';
    return expectThat(false, exchange, expected, undefined, notJsonReason(exchange));
  }
}

/** Services usually create all errors in one place, so the operation does not matter for them. */
export function notJsonReason({ request, status }: Exchange): string {
  return `${status < 400 ? operationOf(request) : 'errors'} ${status}: not JSON`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  );
}

/** Requires only a valid id, so that one wrong pet in the store does not fail every check that lists it. */
function toPet(value: unknown, exchange: Exchange): SeenPet {
  expectThat(isObject(value), exchange, 'a JSON object for each pet', undefined, 'a pet is an object');
  const { id, name, categoryId, status } = value;
  const exactId = toInt64(id);
  const text = `the pet ${renderExactJson(value)}`;
  const seen = id === undefined ? `no id in ${text}` : `the id ${renderExactJson(id)}`;
  expectThat(
    exactId !== undefined,
    exchange,
    'an int64 id in each pet, such as 42',
    seen,
    'an id is an int64',
  );
  return {
    id: exactId,
    name,
    categoryId: toInt64(categoryId),
    status,
    integers: [id, categoryId],
    fieldNames: Object.keys(value),
    text,
  };
}
