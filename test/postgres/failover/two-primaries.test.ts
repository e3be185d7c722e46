import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { addPet, outcomeOf, post, rex } from '../../support/http/calls.ts';
import { runCli, startService, type Service } from '../../support/process/process.ts';
import { superuser, type Cluster } from '../../support/postgres/cluster.ts';
import { openProxy } from '../../support/postgres/proxy.ts';
import { makePair, type Pair } from '../../support/postgres/standby.ts';

let pair: Pair;
beforeEach(async () => {
  pair = await makePair();
});
afterEach(() => pair[Symbol.asyncDispose]());

const orders: [string, (pair: Pair) => Cluster[]][] = [
  ['the old primary first', ({ first, second }) => [first, second]],
  ['the new primary first', ({ first, second }) => [second, first]],
];

/** Repeats a create until it is acknowledged; what fails before that is 503. */
async function createUntilAcknowledged(service: Service): Promise<string> {
  for (;;) {
    const response = await service.call('/v1/pets', post(rex));
    if (response.status === 201) return String(((await response.json()) as { id: number }).id);
    expect(await outcomeOf(response)).toBe('503 unavailable');
    await Bun.sleep(20);
  }
}

/** What a call comes to once it is served: while the replica moves to the new primary, a slow machine may see 503. */
async function servedOutcome(call: () => Promise<Response>): Promise<string> {
  for (;;) {
    const outcome = await outcomeOf(call());
    if (outcome !== '503 unavailable') return outcome;
    await Bun.sleep(20);
  }
}

async function makeKey(address: string): Promise<{ key: string; id: string }> {
  const made = await runCli(['keys', 'create', '--name', 'till', '--json', '--database-url', address]);
  return JSON.parse(made.stdout) as { key: string; id: string };
}

/** Past the replicas, as those of somebody else would. */
async function revoke(keyId: string): Promise<void> {
  await pair.second.run(
    `UPDATE api_keys SET revoked_at = 1 WHERE id = ${keyId}; UPDATE key_changes SET version = version + 1`,
  );
}

describe.each(orders)('two primaries, %s in the address', (_name, orderOf) => {
  it('starts on the new one, reads what it has created at once, and what others have created or revoked within a second', async () => {
    const databaseUrl = pair.address(orderOf(pair));
    await using writing = await startService({ databaseUrl });
    await using reading = await startService({ databaseUrl });
    await using checking = await startService({ databaseUrl });
    const { key, id: keyId } = await makeKey(pair.first.address());
    const before = await addPet(writing.call);
    // So that every kind of session is open, and each replica has just checked its server.
    for (let call = 0; call < 10; call++) {
      for (const { call: get } of [writing, reading])
        expect(await outcomeOf(get(`/v1/pets/${before}`))).toBe('200');
      expect(await outcomeOf(checking.callWith(key, '/v1/pets'))).toBe('200');
    }
    await pair.promoteSecond();
    await pair.second.run(
      "INSERT INTO pets (id, name, category_id) VALUES (1000000, 'of another replica', 1)",
    );
    await revoke(keyId);

    const writeAndRead = async (): Promise<void> => {
      for (let round = 0; round < 5; round++) {
        const id = await createUntilAcknowledged(writing);
        for (let call = 0; call < 10; call++) {
          expect(await servedOutcome(() => writing.call(`/v1/pets/${id}`))).toBe('200');
        }
      }
    };
    const readAfterASecond = async (): Promise<void> => {
      await Bun.sleep(1000);
      for (let call = 0; call < 10; call++) {
        expect(await servedOutcome(() => reading.call('/v1/pets/1000000'))).toBe('200');
        expect(await servedOutcome(() => checking.callWith(key, '/v1/pets'))).toBe('401 invalid_api_key');
      }
    };
    const startAndWrite = async (): Promise<void> => {
      await using started = await startService({ databaseUrl });
      const id = await addPet(started.call);
      expect(await pair.second.run(`SELECT FROM pets WHERE id = ${id}`)).toHaveLength(1);
    };
    await Promise.all([writeAndRead(), readAfterASecond(), startAndWrite()]);
    for (let round = 0; round < 5; round++) {
      const id = await createUntilAcknowledged(writing);
      expect(await servedOutcome(() => reading.call(`/v1/pets/${id}`))).toBe('200');
    }
    expect(await outcomeOf(writing.call('/readyz'))).toBe('200');
    const [row] = await pair.second.run('SELECT count(*)::int AS count FROM pets');
    expect(row?.['count']).toBeGreaterThanOrEqual(13);
  });
});

describe('a proxy that leads new connections to the new primary, and leaves old ones where they are', () => {
  it('moves all sessions of a replica when one is moved', async () => {
    await using proxy = await openProxy(pair.first.port);
    const { user, password } = superuser;
    await using service = await startService({
      databaseUrl: `postgres://${user}:${password}@127.0.0.1:${proxy.port}/postgres?sslmode=disable`,
    });
    const { key, id: keyId } = await makeKey(pair.first.address());
    const before = await addPet(service.call);
    for (let call = 0; call < 10; call++) {
      expect(await outcomeOf(service.callWith(key, `/v1/pets/${before}`))).toBe('200');
    }
    await pair.promoteSecond();
    proxy.leadTo(pair.second.port);
    // Only the session of the creates is cut; those that read and watch the keys live on, on the old primary.
    proxy.cutConnectionsThatSent('insert-pets');
    const id = await createUntilAcknowledged(service);
    for (let call = 0; call < 10; call++) {
      expect(await outcomeOf(service.call(`/v1/pets/${id}`))).toBe('200');
    }
    await revoke(keyId);
    await Bun.sleep(1000);
    expect(await outcomeOf(service.callWith(key, '/v1/pets'))).toBe('401 invalid_api_key');
    expect(await outcomeOf(service.call('/readyz'))).toBe('200');
  });
});
