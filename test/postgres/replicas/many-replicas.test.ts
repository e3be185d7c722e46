import { randomUUID } from 'node:crypto';
import { expect, it } from 'bun:test';
import { parseAddress } from '../../../src/postgres/address.ts';
import { openPostgresStore } from '../../../src/postgres/open.ts';
import { openAt, type Connection, type Statement } from '../../../src/postgres/session/connection.ts';
import { makeCluster, superuser } from '../../support/postgres/cluster.ts';
import { watchForLockWaits } from '../../support/postgres/lock-waits.ts';
import { openProxy } from '../../support/postgres/proxy.ts';

const replicaCount = 200;
const keyCheckEveryMs = 400;
const readinessEveryMs = 1000;
const roundCount = 2;
/** What is slow on a busy machine is no failure; what waits for another replica is. */
const timeouts = { lockMs: 60_000, statementMs: 60_000 };

it('200 replicas check keys and readiness at commits of 100 ms without failures, and nobody waits for another', async () => {
  await using cluster = await makeCluster({
    max_connections: String(replicaCount + 50),
    ...{ commit_delay: '100000', commit_siblings: '0' },
  });
  await cluster.start();
  await using proxy = await openProxy(cluster.port);
  const { user, password } = superuser;
  const addressAt = (port: number) =>
    `postgres://${user}:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;
  const sent = proxy.record();
  const store = await openPostgresStore({ address: addressAt(proxy.port) });
  await store.pets.checkWritable();
  const checks = findChecks(sent.join(''));

  const address = parseAddress(`${addressAt(cluster.port)}&connect_timeout=60`, {});
  const sessions: Connection[] = [];
  // A few at a time: a server that forks 200 processes at once makes each of them wait.
  while (sessions.length < replicaCount) {
    const opening = Array.from({ length: 10 }, () =>
      openAt({ host: '127.0.0.1', port: cluster.port }, { address, timeouts }),
    );
    sessions.push(...(await Promise.all(opening)));
  }

  await using watch = watchForLockWaits(cluster);
  const replicas = Promise.allSettled(
    sessions.map((session, index) => checkLikeReplica(session, checks, index)),
  );
  const done = new AbortController();
  void replicas.then(() => done.abort());
  while (!done.signal.aborted) await store.pets.createPet({ name: 'Rex', categoryId: 1n });
  const failures = (await replicas).filter(({ status }) => status === 'rejected');
  expect(failures.slice(0, 3)).toEqual([]);
  await watch.stop();
  expect(watch.samples).toBeGreaterThan(0);
  expect(watch.waits).toEqual([]);

  await store.close();
  await Promise.all(sessions.map((session) => session.close()));
});

interface Checks {
  writeProof: Statement;
  readProof: Statement;
  selectKeyVersion: Statement;
}

/** The statements as a replica has sent them: the text comes with the name the first time. */
function findChecks(sent: string): Checks {
  const find = (name: string): Statement => {
    const text = sent.split(`${name}\0`)[1]?.split('\0')[0];
    if (!text) throw new Error(`No replica has sent ${name}.`);
    return { name, text };
  };
  return {
    writeProof: find('write-proof'),
    readProof: find('read-proof'),
    selectKeyVersion: find('select-key-version'),
  };
}

/** Checks keys and readiness as often as a busy replica that creates nothing; fails when one check does. */
async function checkLikeReplica(session: Connection, checks: Checks, index: number): Promise<void> {
  const replica = randomUUID();
  // Not all at the same moment, and yet spread alike in every run.
  await Bun.sleep((index * readinessEveryMs) / replicaCount);
  for (let sequence = 1; sequence <= roundCount; sequence++) {
    const startedAt = performance.now();
    await session.query(checks.writeProof, [replica, Date.now(), sequence]);
    expect(await session.query(checks.readProof, [replica, sequence])).toHaveLength(1);
    do {
      expect(await session.query(checks.selectKeyVersion)).toHaveLength(1);
      await Bun.sleep(keyCheckEveryMs);
    } while (performance.now() - startedAt < readinessEveryMs);
  }
}
