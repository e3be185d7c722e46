import { describe, expect, it } from 'bun:test';
import { failureOf } from '../../../test/support/failure.ts';
import { openListeningService } from '../../../test/support/http/listening.ts';
import { createCategory } from '../src/index.ts';

const largest = 2n ** 63n - 1n;

describe('createCategory', () => {
  it('takes the smallest number above the named ones that no pet carries, whatever the largest number is', async () => {
    await using service = await openListeningService();
    const { client } = service;
    for (const id of [-7n, 4n, 10n ** 9n, largest]) await client.putCategory(id, `Name ${id}`);
    for (const categoryId of [1n, 5n, 6n, 8n, largest - 1n])
      await client.createPet({ name: 'Rex', categoryId });
    expect(await createCategory(client, 'Fish')).toMatchObject({ id: 7n, name: 'Fish' });
    expect(await createCategory(client, 'Birds')).toMatchObject({ id: 9n, name: 'Birds' });
    await client.putCategory(10n ** 9n - 1n, 'Frogs');
    expect(await createCategory(client, 'Mice')).toMatchObject({ id: 10n ** 9n + 1n });
  });

  it('begins with 1', async () => {
    await using service = await openListeningService();
    await service.client.putCategory(-7n, 'Fish');
    expect(await createCategory(service.client, 'Birds')).toMatchObject({ id: 1n });
  });

  it('resolves with the lowest number that has the name already', async () => {
    await using service = await openListeningService();
    for (const [id, name] of [
      [3n, 'fish'],
      [5n, 'Fish'],
      [6n, 'Fish'],
    ] as const)
      await service.client.putCategory(id, name);
    expect(await createCategory(service.client, 'Fish')).toEqual({ id: 5n, name: 'Fish' });
    const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
    expect(await createCategory(service.client, 'FISH', { isSame })).toEqual({ id: 3n, name: 'fish' });
  });

  it('reads the names again when another program was faster, ten times at most', async () => {
    await using service = await openListeningService();
    const { client } = service;
    let rivals = 0;
    const raced = {
      ...client,
      async putCategory(...[id, name, options]: Parameters<typeof client.putCategory>) {
        if (rivals-- > 0) await client.putCategory(id, `Rival ${id}`);
        return await client.putCategory(id, name, options);
      },
    };
    rivals = 9;
    expect(await createCategory(raced, 'Fish')).toMatchObject({ id: 10n });
    rivals = 10;
    expect(await failureOf(createCategory(raced, 'Birds'))).toMatchObject({ code: 'precondition_failed' });
  });

  it('gives one number to a name that many programs need at once', async () => {
    await using service = await openListeningService();
    const created = await Promise.all(
      Array.from({ length: 5 }, () => createCategory(service.client, 'Fish')),
    );
    expect(new Set(created.map(({ id }) => id))).toEqual(new Set([1n]));
  });
});
