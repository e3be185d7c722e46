import { describe, expect, it } from 'bun:test';
import { idsOf, post, rex, walkPages } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';
import { makeStorePlace } from '../support/store-place.ts';

const once = (name: string, pet: object = rex) => post(pet, { 'Idempotency-Key': name });

describe('POST /v1/pets with an Idempotency-Key', () => {
  it('replays its response after the store was closed and opened again', async () => {
    await using place = await makeStorePlace();
    const ask = async (pet: object = rex) => {
      await using service = await openService({ openStore: () => place.open() });
      const response = await service.call('/v1/pets', once('lasting', pet));
      const { status, headers } = response;
      return { status, replayed: headers.get('Idempotent-Replayed'), body: await response.text() };
    };
    const first = await ask();
    expect(first).toMatchObject({ status: 201, replayed: null });
    expect(await ask()).toEqual({ ...first, replayed: 'true' });
    expect(await ask({ ...rex, name: 'Other' })).toMatchObject({ status: 422 });
    expect(await ask()).toEqual({ ...first, replayed: 'true' });
  });

  it('is shared by two services on one store', async () => {
    await using place = await makeStorePlace();
    await using one = await openService({ openStore: () => place.open() });
    await using other = await openService({ openStore: () => place.open() });
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? one : other).call('/v1/pets', once('shared')),
      ),
    );
    const bodies = await Promise.all(responses.map((response) => response.text()));
    expect(new Set(bodies).size).toBe(1);
    expect((await walkPages(other.call)).flat()).toEqual(idsOf(bodies[0] ?? ''));
  });
});
