import { afterAll, describe, expect, it } from 'bun:test';
import { openPaths } from '../../support/contract/open-paths.ts';
import { errorOf } from '../../support/http/calls.ts';
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
    },
  );
});

describe('any other path', () => {
  it('is told about /v1 if only that is missing', async () => {
    for (const path of ['/pets', '/pets?limit=1', '/pets/1', '/store/orders'])
      expect(await errorOf(service.call(path))).toMatchObject({
        code: 'not_found',
        message: 'There is nothing at this address. Paths of the API begin with /v1, such as /v1/pets.',
      });
  });
});
