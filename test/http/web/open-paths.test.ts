import { afterAll, describe, expect, it } from 'bun:test';
import { openPaths } from '../../support/contract/open-paths.ts';
import { errorOf, outcomeOf } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

/** docs/operations.md, "Paths without a key". Every call also compares its response with that table. */

const service = await openService();
afterAll(() => service.close());

const call = (path: string, init?: RequestInit) => service.callAs(null, path, init);
const cases = openPaths.map((open) => [open.path.replace('{file}', 'console.js'), open] as const);

describe('a path without a key', () => {
  it.each(cases)(
    '%s responds with its first status and media type',
    async (path, { statuses, mediaTypes }) => {
      const response = await call(path);
      expect(response.status).toBe(statuses[0]!);
      const mediaType = response.headers.get('Content-Type')?.split(';')[0];
      expect(mediaTypes.length === 0 ? [undefined] : mediaTypes).toContain(mediaType);
      expect((await service.callAs('Bearer wrong', path)).status).toBe(statuses[0]!);
      const { status, headers } = await call(path, { method: 'HEAD' });
      expect([status, headers.get('ETag')]).toEqual([statuses[0]!, response.headers.get('ETag')]);
      expect((await call(path, { method: 'OPTIONS' })).headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
      expect(await outcomeOf(call(path, { method: 'POST' }))).toBe('405 method_not_allowed');
    },
  );

  it('/ leads to the docs with --stable-only', async () => {
    await using stable = await openService({ stableOnly: true });
    const { status, headers } = await stable.callAs(null, '/');
    expect([status, headers.get('Location')]).toEqual([307, 'docs']);
  });
});

describe('any other path', () => {
  const similar = [
    '/v1',
    '/v1/',
    '/favicon.ico',
    '/metrics',
    '/livez/',
    '/LIVEZ',
    '/docs/index.html',
    '/openapi',
  ];
  const disguised = ['/docs;/v1', '/livez%00', '/livez%2f..%2fv1/pets', '/v1%2fpets'];

  it.each([...similar, ...disguised])('needs a key: %s', async (path) => {
    expect(await outcomeOf(call(path))).toBe('401 unauthorized');
    expect(await outcomeOf(service.call(path))).toBe('404 not_found');
  });

  it.each(['/docs/../v1/pets', '/%2e%2e/v1/pets'])(
    'is resolved before the key is asked for: %s',
    async (path) => {
      expect(await outcomeOf(call(path))).toBe('401 unauthorized');
    },
  );

  it('is told about /v1 if only that is missing', async () => {
    for (const path of ['/pets', '/pets?limit=1', '/pets/1', '/store/orders'])
      expect(await errorOf(service.call(path))).toMatchObject({
        code: 'not_found',
        message: 'There is nothing at this address. Paths of the API begin with /v1, such as /v1/pets.',
      });
  });
});
