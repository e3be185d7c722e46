import { afterAll, describe, expect, it } from 'bun:test';
import { exampleAddress } from '../../src/docs/addresses.ts';
import { nextQuery } from '../support/http/calls.ts';
import { openapi, operations, type DocumentedOperation } from '../support/contract/openapi.ts';
import { openService } from '../support/http/service.ts';
import { requestFor } from '../support/contract/documented-request.ts';

/** Client generators put the first server of `openapi.yaml` before every path and send every example at once. */

const service = await openService();
// The example of petId names this pet.
await service.pets.createPet({ name: 'Rex', categoryId: 1n });
afterAll(() => service.close());

describe('openapi.yaml', () => {
  it('has no server for a single path or operation, because most generators ignore it', () => {
    for (const item of Object.values(openapi.paths)) {
      for (const part of [item, item.get, item.post, item.options])
        expect(part ?? {}).not.toHaveProperty('servers');
    }
  });

  it('lists the address of a new service first', () => {
    expect(openapi.servers[0]?.url).toBe(exampleAddress);
    expect(new URL(exampleAddress).origin).toBe(exampleAddress);
  });

  it.each(Object.entries(openapi.paths))(
    'has the version in the path %s if it needs a key',
    (path, { get }) => {
      const needsKey = get.security === undefined;
      expect(path.startsWith('/v1/')).toBe(needsKey);
    },
  );
});

const successOf = ({ responses }: DocumentedOperation): number => Number(Object.keys(responses)[0]);

describe('a request with every example of its operation', () => {
  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    'succeeds: %s',
    async (_id, operation) => {
      const query = operation.parameters
        .filter((parameter) => parameter.in === 'query')
        .map(({ name, example }): [string, string] => [name, String(example)]);
      const headers = operation.parameters
        .filter((parameter) => parameter.in === 'header')
        .map(({ name, example }) => [name, String(example)]);
      const { path, init } = requestFor(operation, { query, headers: Object.fromEntries(headers) });
      expect((await service.call(path, init)).status).toBe(successOf(operation));
    },
  );

  it('has the cursor of a real page', async () => {
    await using full = await openService();
    const listPets = operations.find(({ operationId }) => operationId === 'listPets');
    const example = (name: string) =>
      String(listPets?.parameters.find((parameter) => parameter.name === name)?.example);
    for (let added = 0; added <= Number(example('limit')); added++) {
      await full.pets.createPet({ name: 'Rex', categoryId: 1n, status: 'available' });
    }
    const page = await full.call(`/v1/pets?limit=${example('limit')}&status=${example('status')}`);
    expect(new URLSearchParams(nextQuery(page)).get('cursor')).toBe(example('cursor'));
  });
});
