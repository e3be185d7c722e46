import { describe, expect, it } from 'bun:test';
import { checkResponse } from '../support/contract/conformance.ts';

const everyResponse = {
  'X-Request-Id': 'test-1',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};
const page = {
  'Content-Type': 'application/json',
  'Cache-Control': 'private, no-cache',
  ETag: '"abc"',
  ...everyResponse,
};
const error = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...everyResponse };
const deprecation = {
  Deprecation: '@1794614400',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '</docs#deprecation>; rel="deprecation"; type="text/html", </v1/pets>; rel="successor-version"',
};
const rex = { id: 1, name: 'Rex', categoryId: 1 };

interface Given {
  method?: string;
  url?: string;
  status?: number;
  headers?: Record<string, string>;
  /** A header that is left out. */
  without?: string;
  body?: string | null;
}

/** What the checker says of a response that is a sound page of pets but for what is given. */
async function check(given: Given): Promise<string> {
  const { method = 'GET', url = '/v1/pets', status = 200, headers = page, without, body = '[]' } = given;
  // Bytes, because a Response gives text a Content-Type of its own.
  const response = new Response(body && new TextEncoder().encode(body), { status, headers });
  if (without !== undefined) response.headers.delete(without);
  return checkResponse({ method, url }, response).then(
    () => 'accepted',
    ({ message }: Error) => message,
  );
}

/** The same for a sound error. */
function checkError(given: Given & { code: string; says?: number }): Promise<string> {
  const { code, says, status = 400, headers = {}, ...asked } = given;
  const body = JSON.stringify({ code, message: 'No.', status: says ?? status });
  return check({ ...asked, status, headers: { ...error, ...headers }, body });
}

describe('checkResponse', () => {
  it('refuses a status that is not documented', async () => {
    expect(await check({ status: 202 })).toContain('the status is not documented');
  });

  it('refuses a header that is not documented for this response', async () => {
    const poweredBy = { ...page, 'X-Powered-By': 'x' };
    expect(await check({ headers: poweredBy })).toContain('the header x-powered-by is not documented');
    const { Sunset } = deprecation;
    expect(await check({ headers: { ...page, Sunset } })).toContain('the header sunset is not documented');
  });

  it.each(Object.keys(page).filter((name) => name !== 'Content-Type'))(
    'refuses a response without %s',
    async (without) => {
      expect(await check({ without })).toContain(`the header ${without} is missing`);
    },
  );

  it.each([
    ['an extra field', { ...rex, age: 3 }, '"additionalProperty":"age"'],
    ['a missing field', { id: 1, name: 'Rex' }, '"missingProperty":"categoryId"'],
    ['a field that is null', { ...rex, status: null }, '/0/status must be string'],
    ['a field of another type', { ...rex, id: '1' }, '/0/id must be integer'],
  ])('refuses a body with %s', async (_what, pet, difference) => {
    expect(await check({ body: JSON.stringify([pet]) })).toContain(difference);
  });

  it('refuses an error whose status is not that of the response', async () => {
    expect(await checkError({ code: 'invalid_cursor' })).toBe('accepted');
    expect(await checkError({ code: 'invalid_cursor', says: 404 })).toContain('the body says status 404');
  });

  it('refuses an error code that is unknown, or unknown for this response', async () => {
    expect(await checkError({ code: 'teapot' })).toContain('the code teapot has no example');
    expect(await checkError({ code: 'invalid_pet' })).toContain('the code invalid_pet has no example');
  });

  it('requires the announcement on every response of the deprecated path', async () => {
    const missing = { url: '/v1/pets/9', status: 404, code: 'not_found' };
    expect(await checkError({ ...missing, headers: deprecation })).toBe('accepted');
    expect(await checkError(missing)).toContain('the header Deprecation is missing');
  });
});
