import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { issueKey } from '../../src/domain/api-key.ts';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import { idsOf, nextQuery, outcomeOf, post } from '../support/http/calls.ts';
import type { Call } from '../support/contract/conformance.ts';
import { makeFolder, startService, type Service } from '../support/process/process.ts';
import { randomFrom, type Random } from '../support/random.ts';

const actorCount = 6;
const stepsPerActor = 200;
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Few pets are pending or sold, so that their first page is one that changes. */
const statuses = ['available', 'available', 'available', undefined, undefined, 'pending', 'sold'] as const;
type Status = (typeof statuses)[number];

/** What the clients know: every create that was acknowledged, in order. */
interface Known {
  id: bigint;
  status: Status;
}

describe(`two services on one file (SEED=${seed})`, () => {
  const folder = makeFolder();
  let services: [Service, Service];
  beforeAll(async () => {
    const start = () => startService({ databaseUrl: folder.database });
    services = [await start(), await start()];
  });
  afterAll(async () => {
    for (const service of services) await service[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it(`never read older than what was acknowledged, in ${actorCount * stepsPerActor} random steps`, async () => {
    const calls = services.map(({ call }) => call);
    const acknowledged: Known[] = [];
    const pages = new Map<string, string>();

    const actors = Array.from({ length: actorCount }, async (_, index) => {
      const random = randomFrom(seed + index);
      for (let step = 0; step < stepsPerActor; step++) {
        const call = random.pick(calls);
        const kind = random.pick(['create', 'first page', 'conditional', 'walk', 'get', 'get'] as const);
        if (kind === 'create') await create(call, random, acknowledged);
        else if (kind === 'get') await getOne(call, random, acknowledged);
        else await readPages(call, random, { kind, acknowledged, pages });
      }
    });
    await Promise.all(actors);

    expect(acknowledged.length).toBeGreaterThan(100);
    expect(pages.size).toBeGreaterThan(50);
  });

  it('refuse a key on the very next request after it was revoked or has expired', () =>
    checkKeys(services, folder.database));
});

describe(`two workers on one port (SEED=${seed})`, () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ workers: 2 });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('refuse a key on the very next request after it was revoked or has expired', () =>
    // Every request has a connection of its own, so that each may meet either worker.
    checkKeys([service, service, service, service], service.database));

  it('never read older than what was acknowledged', async () => {
    const call: Call = (path, init) => service.call(path, { ...init, keepalive: false });
    const acknowledged: Known[] = [];
    const random = randomFrom(seed);
    for (let step = 0; step < 100; step++) {
      await create(call, random, acknowledged);
      await readPages(call, random, { kind: 'walk', acknowledged, pages: new Map() });
      await getOne(call, random, acknowledged);
    }
  });
});

async function create(call: Call, random: Random, acknowledged: Known[]): Promise<void> {
  const status = random.pick(statuses);
  const answer = await call('/v1/pets', post({ name: 'Rex', categoryId: 1, ...(status && { status }) }));
  expect(answer.status).toBe(201);
  acknowledged.push({ id: BigInt(idsOf(await answer.text())[0]!), status });
}

async function getOne(call: Call, random: Random, acknowledged: Known[]): Promise<void> {
  // Mostly the newest ones: the others have been there for long.
  const known = random.next() < 0.8 ? acknowledged.at(-1) : random.pick(acknowledged);
  if (known) expect(await outcomeOf(call(`/v1/pets/${known.id}`))).toBe('200');
}

interface Reading {
  kind: 'first page' | 'conditional' | 'walk';
  acknowledged: Known[];
  /** The body of each ETag that was sent with a query. */
  pages: Map<string, string>;
}

/** Reads one page or all, and checks each against what was acknowledged before it was asked for. */
async function readPages(call: Call, random: Random, reading: Reading): Promise<void> {
  const { kind, acknowledged, pages } = reading;
  const status = random.pick([undefined, 'available', 'pending', 'sold'] as const);
  const limit = kind === 'walk' ? 100 : random.pick([1, 20, 100]);
  let query: string | undefined = `?limit=${limit}${status ? `&status=${status}` : ''}`;
  let after = 0n;
  while (query !== undefined) {
    const expected = acknowledged
      .filter((known) => known.id > after && (status === undefined || known.status === status))
      .map(({ id }) => id);
    const held =
      kind === 'conditional'
        ? random.pick([...pages.keys()].filter((key) => key.startsWith(`${query} `)))
        : undefined;
    const answer: Response = await call(`/v1/pets${query}`, {
      headers: held === undefined ? {} : { 'If-None-Match': held.split(' ')[1]! },
    });
    const tag = `${query} ${answer.headers.get('ETag')}`;
    const body = answer.status === 304 ? pages.get(tag)! : await answer.text();
    pages.set(tag, body);
    const ids = idsOf(body).map(BigInt);
    const next = nextQuery(answer);
    // A page that has a next one vouches for what lies up to its end only.
    const end = next === undefined ? undefined : ids.at(-1)!;
    const seen = new Set(ids);
    expect(expected.filter((id) => (end === undefined || id <= end) && !seen.has(id))).toEqual([]);
    after = ids.at(-1) ?? after;
    query = kind === 'walk' ? next : undefined;
  }
}

/** Keys come and go in a third process, this one. */
async function checkKeys(services: Service[], path: string): Promise<void> {
  const store = openSqliteStore({ path });
  const outcomes = (key: string): Promise<string[]> =>
    Promise.all(services.map(({ callWith }) => outcomeOf(callWith(key, '/v1/pets', { keepalive: false }))));
  const all = (outcome: string): string[] => services.map(() => outcome);
  try {
    for (let round = 0; round < 10; round++) {
      const lasting = await issueKey(store.keys, { name: 'lasting', now: new Date() });
      expect(await outcomes(lasting.text)).toEqual(all('200'));
      await store.keys.revokeKey(lasting.key.id, new Date());
      expect(await outcomes(lasting.text)).toEqual(all('401 invalid_api_key'));

      const expiresAt = new Date(Date.now() + 50);
      const short = await issueKey(store.keys, { name: 'short', now: new Date(), expiresAt });
      const early = await outcomes(short.text);
      if (Date.now() < expiresAt.getTime()) expect(early).toEqual(all('200'));
      await Bun.sleep(expiresAt.getTime() - Date.now());
      while (Date.now() < expiresAt.getTime()) await Bun.sleep(1);
      expect(await outcomes(short.text)).toEqual(all('401 invalid_api_key'));
    }
  } finally {
    await store.close();
  }
}
