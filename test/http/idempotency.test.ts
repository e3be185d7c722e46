import { describe, expect, it } from 'bun:test';
import { idsOf, outcomeOf, post, rex, walkPages } from '../support/http/calls.ts';
import { openService } from '../support/http/service.ts';
import { makeStorePlace } from '../support/store-place.ts';

const once = (name: string, pet: object = rex) => post(pet, { 'Idempotency-Key': name });

describe('POST /v1/pets with an Idempotency-Key', () => {
  it('creates one pet when sent 50 times at once, with 50 equal responses', async () => {
    await using service = await openService();
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => service.call('/v1/pets', once('same'))),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ headers }) => headers.get('Location'))).size).toBe(1);
    const bodies = await Promise.all(responses.map((response) => response.text()));
    expect(new Set(bodies).size).toBe(1);
    const first = responses.filter(({ headers }) => !headers.has('Idempotent-Replayed'));
    expect(first).toHaveLength(1);
    expect((await walkPages(service.call)).flat()).toEqual(idsOf(bodies[0] ?? ''));
  });

  it('creates one pet when sent at once with 50 different pets, and refuses 49', async () => {
    await using service = await openService();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        outcomeOf(service.call('/v1/pets', once('contested', { ...rex, name: `${index}` }))),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === '201')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === '422 idempotency_conflict')).toHaveLength(49);
    expect((await walkPages(service.call)).flat()).toHaveLength(1);
  });

  it('creates 50 pets for 50 keys at once, each sent twice', async () => {
    await using service = await openService();
    const keys = Array.from({ length: 100 }, (_, index) => `key-${index % 50}`);
    const responses = await Promise.all(
      keys.map(async (key) => {
        const response = await service.call('/v1/pets', once(key));
        return { key, id: idsOf(await response.text())[0] ?? '' };
      }),
    );
    const idsOfKey = Map.groupBy(responses, ({ key }) => key);
    for (const ofKey of idsOfKey.values()) expect(ofKey[0]?.id).toBe(ofKey[1]?.id ?? 'none');
    expect((await walkPages(service.call, '?limit=100')).flat()).toHaveLength(50);
  });

  it('replays after the store was closed and opened again', async () => {
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
