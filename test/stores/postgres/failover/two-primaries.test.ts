import { expect, it } from 'bun:test';
import { issueKey } from '../../../../src/stores/issue-key.ts';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { createLog } from '../../../../src/system/log.ts';
import { codeOf } from '../../../support/code-of.ts';
import { failureOf } from '../../../support/failure.ts';
import { untilUnavailable, untilAvailable } from '../availability.ts';
import { startChangeLoad } from './change-load.ts';
import { openProxy } from '../proxy.ts';
import { makePair } from '../standby.ts';
import { createPet } from '../../../support/changes.ts';

// The name tells the load that no order belongs to it.
const rex = { name: 'available', categoryId: 1n };

/** The proxy sends new connections to the new primary, and keeps those to the old one, which lives on. */
it('moves all sessions of a replica as soon as one moves, loses nothing, and never returns', async () => {
  await using pair = await makePair();
  // A standby lags behind, so it is never used.
  const standby = openPostgresStore({ address: pair.second.address() });
  expect(await failureOf(standby)).toMatchObject({
    problem: 'The database cannot be used: The server is a standby.',
  });
  await using proxy = await openProxy(pair.first.port);
  const lines: string[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line) });
  const store = await openPostgresStore({ address: proxy.address(), log });
  const { key } = await issueKey(store.keys, { name: 'till', now: new Date() });
  const before = await store.pets.apply(createPet(rex));
  for (let call = 0; call < 10; call++) expect(await store.pets.getPet(before.id)).toBe(before.json);
  expect(await store.keys.findKey(key.hash)).toBeDefined();
  const load = startChangeLoad([store]);
  await load.untilAcknowledged(100);
  await pair.promoteSecond();
  proxy.leadTo(pair.second.port);
  // Only the sessions that write are cut; those that read live on, on the old primary.
  proxy.cutConnectionsThatSent('COMMIT');
  await load.untilAcknowledged(100);
  expect(await load.stop(pair.second)).toEqual([]);
  const after = await store.pets.apply(createPet(rex));
  for (let call = 0; call < 10; call++) expect(await store.pets.getPet(after.id)).toBe(after.json);
  await pair.second.run(`UPDATE api_keys SET revoked_at = 1 WHERE id = ${key.id}`);
  await Bun.sleep(1000);
  expect(await store.keys.findKey(key.hash)).toBeUndefined();
  expect(lines.join('')).toContain(`"The database server has changed.","server":"127.0.0.1:${proxy.port}`);

  await pair.second.stop('SIGKILL');
  proxy.moveTo(pair.first.port);
  await untilUnavailable(store.pets);
  for (let call = 0; call < 20; call++) {
    expect(await codeOf(Promise.resolve(store.pets.getPet(after.id)))).toBe('unavailable');
    await Bun.sleep(50);
  }
  await pair.second.start();
  proxy.moveTo(pair.second.port);
  await untilAvailable(store.pets);
  expect(await store.pets.getPet(after.id)).toBe(after.json);
  await store.close();
});
