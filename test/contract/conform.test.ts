import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createApi, type Api } from '../../packages/testkit/src/conform/api.ts';
import { checksFor } from '../../packages/testkit/src/conform/checks.ts';
import { runCheck } from '../../packages/testkit/src/conform/run.ts';
import { addPet, rex } from '../support/http/calls.ts';
import { openService, type Service } from '../support/http/service.ts';

const statuses = ['available', 'pending', 'sold', undefined];

/** Every check of `petstore-conform` on the service. Every response is compared with `openapi.yaml` as well. */

describe.each([
  ['a filled store', { petCount: 120, stableOnly: false }],
  ['a service with --stable-only', { petCount: 0, stableOnly: true }],
])('the strict checks on %s', (_title, { petCount, stableOnly }) => {
  let service: Service;
  let api: Api;

  beforeAll(async () => {
    service = await openService({ stableOnly });
    for (let count = 0; count < petCount; count++) {
      await addPet(service.call, { ...rex, status: statuses[count % statuses.length] });
    }
    api = createApi({
      url: 'http://localhost',
      apiKey: service.apiKey,
      fetch: async (url, init) => {
        const path = url.replace('http://localhost', '');
        return service.callAs(null, path, init);
      },
    });
  });
  afterAll(() => service.close());

  it.each(checksFor('strict').map((check) => [check.name, check.rule, check] as const))(
    '%s: %s',
    async (_name, _rule, check) => {
      expect((await runCheck(api, check)).failure).toBeUndefined();
    },
  );
});
