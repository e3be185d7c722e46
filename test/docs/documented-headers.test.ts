import { afterAll, describe, expect, it } from 'bun:test';
import { petStatuses } from '../../src/domain/pet.ts';
import { expectedResponse } from '../support/contract/expected.ts';
import { openPaths } from '../support/contract/open-paths.ts';
import { operations, wholeContract } from '../support/contract/openapi.ts';
import { isBesideCursor, sendTo } from '../support/contract/send.ts';
import { openService } from '../support/http/service.ts';
import { createPet, putCategory } from '../support/changes.ts';

const origin = 'https://shop.example';

const service = await openService();
/** The same store, with every option that adds a header. */
const configured = await openService({
  openStore: async () => service,
  allowedOrigins: [origin],
  isSecure: true,
  rateLimit: 1000,
});
// Two pets, categories and orders, so that a page of one has a next page.
await service.pets.apply(createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }));
await service.pets.apply(createPet({ name: 'Mia', categoryId: 2n, status: 'sold' }));
for (const id of [1n, 2n]) await service.pets.apply(putCategory(id, 'Cats'));

afterAll(() => service.close());

const everyOption = {
  query: [['limit', '1']] satisfies [string, string][],
  headers: {
    Origin: origin,
    'Access-Control-Request-Method': 'GET',
    'Idempotency-Key': 'again',
    'Accept-Encoding': 'gzip',
  },
};

function missingHeaders(method: string, path: string, { status, headers }: Response): string[] {
  const described = Object.keys(expectedResponse(method, path, status, wholeContract)?.headers ?? {});
  expect(described.length).toBeGreaterThan(5);
  return described.filter((name) => !headers.has(name));
}

const openReads = openPaths.map(({ path }) => path.replace('{file}', 'console.js'));

describe('a response to a request with every option', () => {
  it.each(operations.map((operation) => [operation.method, operation.path, operation] as const))(
    'has all headers that are described: %s %s',
    async (method, path, operation) => {
      await sendTo(configured, operation, everyOption);
      expect(missingHeaders(method, path, await sendTo(configured, operation, everyOption))).toEqual([]);
    },
  );

  it.each(openReads)('has all headers that are described: GET %s', async (path) => {
    const response = await configured.callAs(null, path, { headers: everyOption.headers });
    expect(missingHeaders('GET', path, response)).toEqual([]);
  });

  it.each([...new Set(operations.map(({ path }) => path)), ...openReads])(
    'has all headers that are described: OPTIONS %s',
    async (path) => {
      const { headers } = everyOption;
      const response = await configured.callAs(null, path, { method: 'OPTIONS', headers });
      expect(missingHeaders('OPTIONS', path, response)).toEqual([]);
    },
  );
});

describe('the link to the next page in the document', () => {
  const lists = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'));

  it.each(lists.map((list) => [list.operationId, list] as const))(
    'is that of a real page: %s',
    async (_id, list) => {
      await using full = await openService();
      const example = (name: string) =>
        String(list.parameters.find((parameter) => parameter.name === name)?.example);
      const status = petStatuses.find((each) => each === example('status'));
      for (let added = 0; added <= Number(example('limit')); added++) {
        await full.pets.apply(createPet({ name: 'Rex', categoryId: 1n, ...(status && { status }) }));
        await full.pets.apply(putCategory(BigInt(added + 1), 'Cats'));
      }
      const query = list.parameters.filter(isBesideCursor).map(({ name }) => `&${name}=${example(name)}`);
      const page = await full.call(`${list.path}?limit=${example('limit')}${query.join('')}`);
      expect(page.headers.get('Link')).toBe(list.responses['200']!.headers['Link']!.example as string);
    },
  );
});
