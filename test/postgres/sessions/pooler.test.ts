import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { issueKey } from '../../../src/domain/api-key.ts';
import { openPostgresStore } from '../../../src/postgres/open.ts';
import { runCli } from '../../support/process/process.ts';
import { addressAt, makeCluster, withoutDurability, type Cluster } from '../../support/postgres/cluster.ts';
import { openPooler, type Pooler } from '../../support/postgres/pooler.ts';
import { createPet } from '../../support/changes.ts';

let cluster: Cluster;
let pooler: Pooler;

beforeAll(async () => {
  cluster = await makeCluster(withoutDurability);
  writeFileSync(join(cluster.dataFolder, 'pg_hba.conf'), 'host all all 127.0.0.1/32 trust\n');
  await cluster.start();
  pooler = await openPooler({ serverPort: cluster.port });
});
afterAll(async () => {
  await pooler[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

describe('a pooler in transaction mode', () => {
  it('is refused with advice when it does not accept the settings of a session', async () => {
    await using strict = await openPooler({ serverPort: cluster.port, refusesTimeouts: true });
    const url = addressAt(strict.port, 'postgres', '?sslmode=disable');
    const { status, stderr } = await runCli(['serve', '--port', '0', '--database-url', url]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^petstore: .+statement_timeout.+ Add pgbouncer=true to the address\.\n$/);
    // It does not pass by itself, so nobody tries again.
    expect(strict.refusals).toBe(1);
  });

  it('serves creates, reads and keys if the address says so', async () => {
    const address = addressAt(pooler.port, 'postgres', '?sslmode=disable&pgbouncer=true');
    const store = await openPostgresStore({ address });
    const created = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        store.pets.apply(
          createPet({ name: `pet ${index}`, categoryId: 1n }, { caller: 'till', key: String(index) }),
        ),
      ),
    );
    for (const { id, json } of created) expect(await store.pets.getPet(id)).toBe(json);
    await store.pets.checkWritable();
    const { key } = await issueKey(store.keys, { name: 'till', now: new Date() });
    expect(await store.keys.findKey(key.hash)).toEqual(key);
    await store.keys.revokeKey(key.id, new Date());
    expect(await store.keys.findKey(key.hash)).toBeUndefined();
    await store.close();
  });
});
