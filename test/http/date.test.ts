import { afterAll, expect, it } from 'bun:test';
import { createPet } from '../support/changes.ts';
import { openListeningService } from '../support/http/listening.ts';

/** RFC 9110, section 6.6.1: a server with a clock sends `Date`, whatever the method, and once. */

const service = await openListeningService();
await service.pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
afterAll(() => service[Symbol.asyncDispose]());

const paths = [
  '/v1/pets',
  '/v1/pets/1',
  '/livez',
  '/docs',
  '/assets/console.js',
  '/openapi.json',
  '/nowhere',
];

it.each([
  ...['GET', 'HEAD', 'OPTIONS', 'DELETE'].flatMap((method) =>
    paths.map((path) => [method, path, ''] as const),
  ),
  ...['If-None-Match: *', 'If-Match: "none"', 'Authorization: none'].map(
    (line) => ['HEAD', '/v1/pets', line] as const,
  ),
])('the response to %s %s %s has one Date', async (method, path, line) => {
  const lines = ['Host: petstore', `Authorization: Bearer ${service.apiKey}`, ...(line === '' ? [] : [line])];
  const { headers } = await service.exchange([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
  const date = headers.get('Date') ?? '';
  // Two of them would arrive joined by a comma and be no such date.
  expect(new Date(date).toUTCString()).toBe(date);
  expect(Math.abs(Date.now() - Date.parse(date))).toBeLessThan(60_000);
});
