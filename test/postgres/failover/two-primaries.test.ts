import { describe, expect, it } from 'bun:test';
import { issueKey } from '../../../src/domain/api-key.ts';
import { openPostgresStore } from '../../../src/postgres/open.ts';
import { codeOf } from '../../support/code-of.ts';
import { failureOf } from '../../support/failure.ts';
import { openProxy } from '../../support/postgres/proxy.ts';
import { makePair } from '../../support/postgres/standby.ts';
import { createPet } from '../../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };

describe('a proxy that sends new connections to the new primary and keeps old ones', () => {
  it('moves all sessions of a replica as soon as one moves, and never uses a standby', async () => {
    await using pair = await makePair();
    // A standby lags behind, so it is never used.
    const standby = openPostgresStore({ address: pair.second.address(), startWithinMs: 0 });
    expect(await failureOf(standby)).toMatchObject({
      problem: 'The database cannot be used: The server is a standby.',
    });
    await using proxy = await openProxy(pair.first.port);
    const store = await openPostgresStore({ address: proxy.address() });
    const { key } = await issueKey(store.keys, { name: 'till', now: new Date() });
    const before = await store.pets.apply(createPet(rex));
    for (let call = 0; call < 10; call++) expect(await store.pets.getPet(before.id)).toBe(before.json);
    expect(await store.keys.findKey(key.hash)).toBeDefined();
    await pair.promoteSecond();
    proxy.leadTo(pair.second.port);
    // Only the sessions that write are cut; those that read live on, on the old primary.
    proxy.cutConnectionsThatSent('COMMIT');
    while ((await codeOf(store.pets.apply(createPet(rex)))) !== 'done') await Bun.sleep(20);
    const after = await store.pets.apply(createPet(rex));
    for (let call = 0; call < 10; call++) expect(await store.pets.getPet(after.id)).toBe(after.json);
    await pair.second.run(`UPDATE api_keys SET revoked_at = 1 WHERE id = ${key.id}`);
    await Bun.sleep(1000);
    expect(await store.keys.findKey(key.hash)).toBeUndefined();
    await store.pets.checkWritable();
    await store.close();
  });
});
