import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { addPet, outcomeOf, post, rex } from '../../support/http/calls.ts';
import { runCli, startService, type Service } from '../../support/process/process.ts';
import { openProxy } from '../../support/postgres/proxy.ts';
import { makePair, type Pair } from '../../support/postgres/standby.ts';

let pair: Pair;
beforeEach(async () => {
  pair = await makePair();
});
afterEach(() => pair[Symbol.asyncDispose]());

/** Repeats a create until it is acknowledged; what fails before that is 503. */
async function createUntilAcknowledged(service: Service): Promise<string> {
  for (;;) {
    const response = await service.call('/v1/pets', post(rex));
    if (response.status === 201) return String(((await response.json()) as { id: number }).id);
    expect(await outcomeOf(response)).toBe('503 unavailable');
    await Bun.sleep(20);
  }
}

async function makeKey(address: string): Promise<{ key: string; id: string }> {
  const made = await runCli(['keys', 'create', '--name', 'till', '--json', '--database-url', address]);
  return JSON.parse(made.stdout) as { key: string; id: string };
}

/** Past the replicas, as those of somebody else would. */
async function revoke(keyId: string): Promise<void> {
  await pair.second.run(`UPDATE api_keys SET revoked_at = 1 WHERE id = ${keyId}`);
}

describe('a proxy that sends new connections to the new primary and keeps old ones', () => {
  it('moves all sessions of a replica as soon as one moves', async () => {
    await using proxy = await openProxy(pair.first.port);
    await using service = await startService({ databaseUrl: proxy.address() });
    const { key, id: keyId } = await makeKey(pair.first.address());
    const before = await addPet(service.call);
    for (let call = 0; call < 10; call++) {
      expect(await outcomeOf(service.callWith(key, `/v1/pets/${before}`))).toBe('200');
    }
    await pair.promoteSecond();
    proxy.leadTo(pair.second.port);
    // Only the session of the creates is cut; those that read live on, on the old primary.
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
