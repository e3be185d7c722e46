import { afterAll, describe, expect, it } from 'bun:test';
import { openPaths } from '../support/contract/open-paths.ts';
import { operations } from '../support/contract/openapi.ts';
import { openListeningService } from '../support/http/listening.ts';
import { createPet } from '../support/changes.ts';

/** RFC 9110, section 6.6.1: a server with a clock sends `Date`, whatever the method, and once. */

const service = await openListeningService();
await service.pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
afterAll(() => service[Symbol.asyncDispose]());

const reads = [
  ...operations.filter(({ method }) => method === 'GET'),
  ...openPaths.filter(({ statuses }) => statuses.includes(200)),
];
const paths = reads.map(({ path }) =>
  path.replace('{petId}', '1').replace('{categoryId}', '7').replace('{file}', 'console.js'),
);
const requests: [method: string, path: string, headers: string][] = [
  ...['GET', 'HEAD', 'OPTIONS', 'DELETE'].flatMap((method) =>
    [...paths, '/nowhere'].map((path): [string, string, string] => [method, path, '']),
  ),
  ['GET', '/v1/pets', 'If-None-Match: *\r\n'],
  ['HEAD', '/v1/pets', 'If-None-Match: *\r\n'],
  ['HEAD', '/v1/pets', 'If-Match: "none"\r\n'],
  ['HEAD', '/v1/pets', 'Authorization: none\r\n'],
];

describe('Date', () => {
  it.each(requests)('is sent once with the response to %s %s %s', async (method, path, headers) => {
    const { headers: got } = await service.exchange(
      `${method} ${path} HTTP/1.1\r\nHost: petstore\r\nAuthorization: Bearer ${service.apiKey}\r\n${headers}\r\n`,
    );
    const date = got.get('Date') ?? '';
    // Two of them would arrive joined by a comma and be no such date.
    expect(new Date(date).toUTCString()).toBe(date);
    expect(Math.abs(Date.now() - Date.parse(date))).toBeLessThan(60_000);
  });
});
