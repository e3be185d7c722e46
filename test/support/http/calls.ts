import type { Call } from '../contract/conformance.ts';

/** What tests say to the service again and again. */

export const rex = { name: 'Rex', categoryId: 1 };

/** A POST of JSON; a string is sent as it stands. */
export function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** A PATCH of JSON that may change a pet; a string is sent as it stands. */
export function patch(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { ...post(body, headers), method: 'PATCH' };
}

/** Adds a pet and gives its id; throws when the service refuses it. */
export async function addPet(call: Call, pet: object = rex): Promise<string> {
  const response = await call('/v1/pets', post(pet));
  const text = await response.text();
  if (response.status !== 201) throw new Error(`POST gave ${response.status}: ${text}`);
  return idsOf(text)[0] ?? '';
}

/** Adds as many pets, one after the other, and gives their ids in ascending order. */
export async function addPets(call: Call, count: number, pet: object = rex): Promise<string[]> {
  const ids: string[] = [];
  for (let added = 0; added < count; added++) ids.push(await addPet(call, pet));
  return ids;
}

/** The ids in the text of a response, digit by digit. A quote inside a name is escaped and does not match. */
export function idsOf(text: string): string[] {
  return [...text.matchAll(/[{,]"id":(-?\d+)/g)].map(([, id = '']) => id);
}

/** The query of the next page, when the response has one. */
export function nextQuery({ headers }: { headers: Headers }): string | undefined {
  return /^<(\?[^>]+)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1];
}

export interface ErrorBody {
  code: string;
  message: string;
  status: number;
}

/** The status and code of a response, such as `400 invalid_pet`; a success is its status alone. */
export async function outcomeOf(pending: Response | Promise<Response>): Promise<string> {
  const response = await pending;
  if (response.status < 400) return String(response.status);
  return `${response.status} ${(await errorOf(response)).code}`;
}

export async function errorOf(response: Response | Promise<Response>): Promise<ErrorBody> {
  return (await (await response).json()) as ErrorBody;
}
