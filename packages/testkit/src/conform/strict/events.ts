import type { Api, Exchange } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectOutcomes } from '../errors.ts';
import { toInt64 } from '../exact-json.ts';
import { expectHeader, expectStatus, expectThat } from '../mismatch.ts';
import { createPet, isObject, newPet, readArray, type SeenPet } from '../pets.ts';
import { nextQuery } from '../walk.ts';

/** The log of changes, if the service has it. */
export const eventChecks = checksOf('strict', 'events', [
  [
    'order',
    'Every change of a pet is one event, and a reader that follows Link gets each once, in order of id and of the changes.',
    async (api) => {
      const start = await findEnd(api);
      if (start === undefined) return;
      const rex = await createPet(api, newPet(api, 'event 1'));
      const mia = await createPet(api, newPet(api, 'event 2'));
      await change(api, 'PATCH', rex);
      for (const pet of [rex, mia]) await change(api, 'DELETE', pet);
      const expected = [
        ...[`pet.created ${rex.id}`, `pet.created ${mia.id}`, `pet.updated ${rex.id}`],
        ...[`pet.deleted ${rex.id}`, `pet.deleted ${mia.id}`],
      ];
      const { events, last } = await follow(api, `${start}&limit=2`);
      const ids = events.map(({ id }) => id);
      const ascend = ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id));
      expectThat(ascend, last, 'ids that only grow', `the ids ${ids.join(', ')}`);
      const own = events.map(({ text }) => text).filter((text) => expected.includes(text));
      expectThat(
        own.join() === expected.join(),
        last,
        `the events ${expected.join(', ')}`,
        own.join(', ') || 'none of them',
      );
    },
  ],
  [
    'cursors',
    'A malformed cursor is 400 invalid_cursor, and a bad parameter is 400 invalid_parameter.',
    async (api) => {
      if ((await findEnd(api)) === undefined) return;
      const cursors = ['', 'x', 'Now'].map((cursor) => ({ path: `/events?after=${cursor}` }));
      await expectOutcomes(api, cursors, '400 invalid_cursor');
      const bad = ['limit=0', 'wait=6', 'wait=x', 'petId=x', 'type=pet.sold'];
      const requests = bad.map((query) => ({ path: `/events?${query}` }));
      await expectOutcomes(api, requests, '400 invalid_parameter');
    },
  ],
]);

async function change(api: Api, method: 'PATCH' | 'DELETE', { id }: SeenPet): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const update = { headers, body: '{"status":"sold"}' };
  const exchange = await api.send({ method, path: `/pets/${id}`, ...(method === 'PATCH' && update) });
  expectStatus(exchange, method === 'PATCH' ? 200 : 204);
}

interface SeenEvent {
  id: bigint;
  /** The type and the number of the pet or category, such as `pet.created 4`. */
  text: string;
}

/** The query after all events so far; undefined with only stable operations. */
export async function findEnd(api: Api): Promise<string | undefined> {
  const exchange = await api.send({ path: '/events?after=now' });
  if (exchange.status === 404) return undefined;
  expectStatus(exchange, 200);
  expectHeader(exchange, 'Petstore-Stability', 'experimental');
  return nextOf(exchange);
}

function nextOf(exchange: Exchange): string {
  const next = nextQuery(exchange);
  expectThat(next !== undefined, exchange, 'a Link with rel="next", on an empty page too');
  return next;
}

/** Reads to the first empty page, because every page has a next one. */
export async function follow(api: Api, query: string): Promise<{ events: SeenEvent[]; last: Exchange }> {
  const events: SeenEvent[] = [];
  for (let next = query; ;) {
    const exchange = await api.send({ path: `/events${next}` });
    const page = readArray(exchange);
    if (page.length === 0) return { events, last: exchange };
    events.push(...page.map((event) => toEvent(event, exchange)));
    next = nextOf(exchange);
  }
}

function toEvent(value: unknown, exchange: Exchange): SeenEvent {
  const { id, type, petId, category } = isObject(value) ? value : {};
  const number = isObject(category) ? category['id'] : petId;
  const exactId = toInt64(id);
  expectThat(exactId !== undefined, exchange, 'an int64 id in each event');
  return { id: exactId, text: `${String(type)} ${toInt64(number) ?? ''}` };
}
