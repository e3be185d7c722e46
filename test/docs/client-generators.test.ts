import { describe, expect, it } from 'bun:test';
import { petStatuses } from '../../src/domain/pet.ts';
import type { Contract, DocumentedOperation } from '../support/contract/openapi.ts';
import { isBesideCursor, sendTo, worlds, type World } from '../support/contract/worlds.ts';
import { createPet, putCategory, updatePet } from '../support/changes.ts';

/** Generated clients send every example of an operation at once. */

const successOf = ({ responses }: DocumentedOperation): number => Number(Object.keys(responses)[0]);

for (const { contract, open } of worlds) {
  describe(`a request with every example of its operation in ${contract.name}`, () =>
    testRequests(contract, open));
}

function testRequests({ operations }: Contract, open: World['open']): void {
  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    'succeeds each time and finds something: %s',
    async (_id, operation) => {
      await using service = await open();
      // The examples describe this pet, an order of it, and this category.
      const { id } = await service.pets.apply(createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }));
      await service.pets.apply(updatePet(id, { changes: { status: 'available' } }));
      await service.pets.apply(putCategory(7n, 'Cats'));
      const examplesIn = (place: string) =>
        operation.parameters
          .filter((parameter) => parameter.in === place && parameter.example !== undefined)
          .map(({ name, example }): [string, string] => [name, String(example)]);
      const headers = Object.fromEntries(examplesIn('header'));
      const query = examplesIn('query');
      for (const response of [
        await sendTo(service, operation, { query, headers }),
        await sendTo(service, operation, { query, headers }),
      ]) {
        expect(response.status).toBe(successOf(operation));
        expect(response.headers.get('Idempotent-Replayed')).toBeNull();
        expect(await response.text()).not.toBe('[]');
      }
    },
  );

  const lists = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'));
  it.each(lists.map((list) => [list.operationId, list] as const))(
    'uses the link of a real page: %s',
    async (_id, list) => {
      await using full = await open();
      const example = (name: string) =>
        String(list.parameters.find((parameter) => parameter.name === name)?.example);
      const status = petStatuses.find((each) => each === example('status'));
      for (let added = 0; added <= Number(example('limit')); added++) {
        await full.pets.apply(createPet({ name: 'Rex', categoryId: 1n, ...(status && { status }) }));
        await full.pets.apply(putCategory(BigInt(added + 1), 'Cats'));
      }
      const query = list.parameters.filter(isBesideCursor).map(({ name }) => `&${name}=${example(name)}`);
      const page = await full.call(`${list.path}?limit=${example('limit')}${query.join('')}`);
      const { Link } = list.responses['200']!.headers;
      expect(page.headers.get('Link')).toBe(Link!.example as string);
    },
  );
}
