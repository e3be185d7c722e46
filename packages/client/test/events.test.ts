import { expect, it } from 'bun:test';
import { isPetstoreError, type PetEvent } from '../src/index.ts';
import { openListeningService } from '../../../test/support/http/listening.ts';
import { createPet } from '../../../test/support/changes.ts';

async function take(events: AsyncGenerator<PetEvent, never>, count: number): Promise<PetEvent[]> {
  const taken: PetEvent[] = [];
  while (taken.length < count) taken.push((await events.next()).value);
  return taken;
}

it('yields every change, waits for more, and resumes after a cursor', async () => {
  await using service = await openListeningService();
  const { client } = service;
  const { after } = await client.listEvents({ after: 'now' });
  const { id } = await client.createPet({ name: 'Rex', categoryId: -(2n ** 63n), status: 'sold' });
  await client.updatePet(id, { categoryId: 2n, status: null });
  const events = client.events({ after });
  const pet = { id, name: 'Rex', categoryId: 2n };
  const [created, updated] = await take(events, 2);
  expect(created).toMatchObject({ type: 'pet.created', petId: id, createdBy: 'API_KEYS' });
  expect(created?.after).toBeUndefined();
  expect(updated).toMatchObject({ pet, previous: { categoryId: -(2n ** 63n), status: 'sold' } });
  const waiting = take(events, 1);
  await client.deletePet(id);
  expect(await waiting).toMatchObject([{ type: 'pet.deleted', pet }]);
  await events.return(undefined as never);

  const resumed = client.events({ after: updated!.after, petId: id });
  expect(await take(resumed, 1)).toMatchObject([{ type: 'pet.deleted', petId: id }]);
});

it('yields the changes of categories', async () => {
  await using service = await openListeningService();
  const { client } = service;
  const cats = { id: -(2n ** 63n), name: 'Cats' };
  await client.putCategory(cats.id, 'Dogs');
  await client.putCategory(cats.id, cats.name);
  await client.putCategory(cats.id, cats.name);
  await client.deleteCategory(cats.id);
  const [first, second, last] = await take(client.events(), 3);
  expect(first).toMatchObject({ type: 'category.updated', category: { ...cats, name: 'Dogs' } });
  expect(second).toMatchObject({ type: 'category.updated', category: cats, createdBy: 'API_KEYS' });
  expect(last).toMatchObject({ type: 'category.deleted', category: cats });
  expect(last).not.toHaveProperty('pet');
  const { events } = await client.listEvents({ type: 'category.deleted' });
  expect(events).toHaveLength(1);
});

it('resumes after an outage without missing an event', async () => {
  await using service = await openListeningService();
  const { client, pets } = service;
  const events = client.events();
  await client.createPet({ name: 'Rex', categoryId: 1n });
  expect(await take(events, 1)).toMatchObject([{ id: 1n }]);
  const waiting = take(events, 2);
  await service.goAway();
  await Promise.all([1, 2].map(() => pets.apply(createPet({ name: 'Mia', categoryId: 1n }))));
  service.comeBack();
  expect(await waiting).toMatchObject([{ id: 2n }, { id: 3n }]);
});

it('outlasts retryForMs and a long Retry-After', async () => {
  await using service = await openListeningService();
  await service.client.createPet({ name: 'Rex', categoryId: 1n });
  const outage = [
    () => Promise.reject(new Error('no connection')),
    () => new Response('Maintenance', { status: 503, headers: { 'Retry-After': '3600' } }),
    () => new Response('Bad gateway', { status: 502 }),
  ];
  const client = service.clientWith({
    retryForMs: 1,
    maxRetryAfterMs: 5,
    fetch: async (url, init) => (await outage.shift()?.()) ?? fetch(url, init),
  });
  expect(await take(client.events(), 1)).toMatchObject([{ type: 'pet.created' }]);
  expect(outage).toEqual([]);
});

it('lets the service wait for longer than timeoutMs', async () => {
  await using service = await openListeningService();
  const leaving = new AbortController();
  const client = service.clientWith({
    timeoutMs: 300,
    async fetch(url, init) {
      const response = await fetch(url, init);
      leaving.abort(new Error('An empty page has arrived.'));
      return response;
    },
  });
  const waiting = take(client.events({ wait: 1, signal: leaving.signal }), 1);
  expect(await waiting.catch(String)).toBe('Error: An empty page has arrived.');
});

it('fails at once if retries are off', async () => {
  await using service = await openListeningService();
  const client = service.clientWith({
    retryForMs: 0,
    fetch: () => Promise.reject(new Error('no connection')),
  });
  const failure = await take(client.events(), 1).catch((error: unknown) => error);
  expect(isPetstoreError(failure, 'network')).toBe(true);
});

it('pauses for a second after an empty page that came early', async () => {
  await using service = await openListeningService();
  service.app.stopWaiting();
  const asked: string[] = [];
  const client = service.clientWith({
    fetch(url, init) {
      asked.push(url);
      return fetch(url, init);
    },
  });
  const leaving = AbortSignal.timeout(900);
  expect(await take(client.events({ signal: leaving }), 1).catch(() => 'left')).toBe('left');
  expect(asked.length).toBe(1);
});
