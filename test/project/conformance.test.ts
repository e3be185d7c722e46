import { afterAll, describe, expect, it } from 'bun:test';
import { checkResponse } from '../support/contract/conformance.ts';
import { openService } from '../support/http/service.ts';

const service = await openService();
afterAll(() => service.close());
const get = (url: string): Promise<Response> => service.call(url);
const page = { url: '/v1/pets', response: await get('/v1/pets') };
const wrongCursor = { url: '/v1/pets', response: await get('/v1/pets?cursor=x') };
const missing = { url: '/v1/pets/9', response: await get('/v1/pets/9') };

interface Change {
  status?: number;
  /** A header of the response, or undefined to leave it out. */
  header?: [name: string, value: string | undefined];
  body?: object;
}

/** What the checker says of a sound response with a change. */
async function check({ url, response }: typeof page, { status, header, body }: Change = {}): Promise<string> {
  const headers = new Headers(response.headers);
  if (header) headers.delete(header[0]);
  if (header?.[1] !== undefined) headers.set(header[0], header[1]);
  // Bytes, because a Response gives text a Content-Type of its own.
  const bytes = new TextEncoder().encode(body ? JSON.stringify(body) : await response.clone().text());
  const changed = new Response(bytes, { status: status ?? response.status, headers });
  return checkResponse({ method: 'GET', url }, changed).then(
    () => 'accepted',
    ({ message }: Error) => message,
  );
}

describe('checkResponse', () => {
  it('accepts sound responses', async () => {
    for (const sound of [page, wrongCursor, missing]) expect(await check(sound)).toBe('accepted');
  });

  it('refuses a status that is not documented', async () => {
    expect(await check(page, { status: 202 })).toContain('the status is not documented');
  });

  it.each(['X-Powered-By', 'Sunset'])(
    'refuses the header %s, which this response may not have',
    async (name) => {
      const text = `the header ${name.toLowerCase()} is not documented`;
      expect(await check(page, { header: [name, 'x'] })).toContain(text);
    },
  );

  it.each([
    ...['X-Request-Id', 'X-Content-Type-Options', 'Content-Security-Policy', 'Referrer-Policy'],
    ...['Cache-Control', 'ETag'],
  ])('refuses a response without %s', async (name) => {
    expect(await check(page, { header: [name, undefined] })).toContain(`the header ${name} is missing`);
  });

  it('requires the announcement on every response of the deprecated path', async () => {
    const header: Change['header'] = ['Deprecation', undefined];
    expect(await check(missing, { header })).toContain('the header Deprecation is missing');
  });

  const rex = { id: 1, name: 'Rex', categoryId: 1 };
  it.each([
    ['an extra field', { ...rex, age: 3 }, '"additionalProperty":"age"'],
    ['a missing field', { id: 1, name: 'Rex' }, '"missingProperty":"categoryId"'],
    ['a field that is null', { ...rex, status: null }, '/0/status must be string'],
    ['a field of another type', { ...rex, id: '1' }, '/0/id must be integer'],
  ])('refuses a body with %s', async (_what, pet, difference) => {
    expect(await check(page, { body: [pet] })).toContain(difference);
  });

  it.each([
    ['a status that is not that of the response', 'invalid_cursor', 404, 'the body says status 404'],
    ['an unknown code', 'teapot', 400, 'the code teapot has no example'],
    ['a code that is unknown for this response', 'invalid_pet', 400, 'the code invalid_pet has no example'],
  ])('refuses an error with %s', async (_what, code, status, difference) => {
    expect(await check(wrongCursor, { body: { code, message: 'No.', status } })).toContain(difference);
  });
});
