import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { sendTo, worlds, type World } from '../support/contract/worlds.ts';
import type { Service } from '../support/http/service.ts';

const origin = 'https://shop.example';

for (const world of worlds) describe(world.contract.name, () => testHeaders(world));

function testHeaders({ contract: { operations }, open }: World): void {
  let service: Service;
  /** The same store, with every option that adds a header. */
  let configured: Service;

  beforeAll(async () => {
    service = await open();
    configured = await open({
      openStore: async () => service,
      allowedOrigins: [origin],
      isSecure: true,
      requestsPerMinute: 1000,
    });
    // Two pets and two orders, so that a page of one has a next page.
    await service.pets.createPet({ name: 'Rex', categoryId: 1n, status: 'sold' });
    await service.pets.createPet({ name: 'Mia', categoryId: 2n, status: 'sold' });
  });

  afterAll(() => service.close());

  describe('a response to a request with every option', () => {
    const everyOption = {
      query: [['limit', '1']] satisfies [string, string][],
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'GET',
        'Idempotency-Key': 'again',
        'Accept-Encoding': 'gzip',
      },
    };

    it.each(operations.map((operation) => [operation.method, operation.path, operation] as const))(
      'has all documented headers: %s %s',
      async (_method, _path, operation) => {
        await sendTo(configured, operation, everyOption);
        const { status, headers } = await sendTo(configured, operation, everyOption);
        const documented = Object.keys(operation.responses[status]?.headers ?? {});
        expect(documented).not.toBeEmpty();
        expect(documented.filter((name) => !headers.has(name))).toEqual([]);
      },
    );
  });

  describe('HEAD', () => {
    const reads = operations.filter(({ method }) => method === 'GET');

    it.each(reads.map((operation) => [operation.path, operation] as const))(
      'responds as GET does on %s',
      async (_path, operation) => {
        const headers = { 'X-Request-Id': 'same' };
        const get = await sendTo(service, operation, { headers });
        const head = await sendTo(service, operation, { headers, method: 'HEAD' });
        expect(head.status).toBe(get.status);
        // The runtime adds both to a GET response.
        const { 'content-length': length, date: _date, ...others } = head.headers.toJSON();
        expect(others).toEqual(get.headers.toJSON());
        expect(Number(length)).toBe((await get.bytes()).byteLength);
      },
    );
  });
}
