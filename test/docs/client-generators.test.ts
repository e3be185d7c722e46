import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { exampleAddress } from '../../packages/console/src/docs/code/request.ts';
import type { PetStatus } from '../../src/domain/pet.ts';
import { nextQuery } from '../support/http/calls.ts';
import { openapi, type Contract, type DocumentedOperation } from '../support/contract/openapi.ts';
import { isBesideCursor, sendTo, worlds, type World } from '../support/contract/worlds.ts';
import type { Service } from '../support/http/service.ts';

/** Client generators put the first server of `openapi.yaml` before every path and send every example at once. */

describe('openapi.yaml', () => {
  it('has no server for a single path or operation, because most generators ignore it', () => {
    for (const item of Object.values(openapi.paths)) {
      for (const part of [item, item.get, item.post, item.patch, item.delete])
        expect(part ?? {}).not.toHaveProperty('servers');
    }
  });

  it('lists the address of a new service, for those who generate from the file', async () => {
    const file = Bun.YAML.parse(await Bun.file('openapi.yaml').text()) as typeof openapi;
    expect(file.servers.map(({ url }) => url)).toEqual([`${exampleAddress}/v1`]);
    expect(new URL(exampleAddress).origin).toBe(exampleAddress);
  });

  it('has paths that are relative to /v1', () => {
    expect(Object.keys(openapi.paths)).toEqual([
      '/pets',
      '/pets/{petId}',
      '/pets/search',
      '/store/orders',
      '/key',
    ]);
  });
});

const successOf = ({ responses }: DocumentedOperation): number => Number(Object.keys(responses)[0]);

for (const { contract, open } of worlds) {
  describe(`a request with every example of its operation in ${contract.name}`, () =>
    testRequests(contract, open));
}

function testRequests({ operations }: Contract, open: World['open']): void {
  let service: Service;
  beforeAll(async () => {
    service = await open();
    // The example of petId names this pet.
    await service.pets.createPet({ name: 'Rex', categoryId: 1n });
  });
  afterAll(() => service.close());

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    'succeeds: %s',
    async (_id, operation) => {
      const query = operation.parameters
        .filter((parameter) => isBesideCursor(parameter) || ['limit', 'cursor'].includes(parameter.name))
        .map(({ name, example }): [string, string] => [name, String(example)]);
      const headers = operation.parameters
        .filter((parameter) => parameter.in === 'header')
        .map(({ name, example }) => [name, String(example)]);
      const response = await sendTo(service, operation, { query, headers: Object.fromEntries(headers) });
      expect(response.status).toBe(successOf(operation));
    },
  );

  const lists = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'));
  it.each(lists.map((list) => [list.operationId, list] as const))(
    'has the cursor of a real page: %s',
    async (_id, list) => {
      await using full = await open();
      const example = (name: string) =>
        String(list.parameters.find((parameter) => parameter.name === name)?.example);
      const status = example('status') as PetStatus;
      for (let added = 0; added <= Number(example('limit')); added++) {
        await full.pets.createPet({ name: 'Rex', categoryId: 1n, status });
      }
      const query = list.parameters.filter(isBesideCursor).map(({ name }) => `&${name}=${example(name)}`);
      const page = await full.call(`${list.path}?limit=${example('limit')}${query.join('')}`);
      expect(new URLSearchParams(nextQuery(page)).get('cursor')).toBe(example('cursor'));
    },
  );
}
