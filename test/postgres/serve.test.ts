import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { addPet, outcomeOf } from '../support/http/calls.ts';
import { startService, type Service } from '../support/process/process.ts';
import { makeCluster, superuser, withoutDurability, type Cluster } from '../support/postgres/cluster.ts';

let cluster: Cluster;
let service: Service;

beforeAll(async () => {
  cluster = await makeCluster(withoutDurability);
  await cluster.start();
  service = await startService({ databaseUrl: cluster.address(), workers: 2 });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

async function until(expected: string, path: string): Promise<void> {
  while ((await outcomeOf(service.call(path))) !== expected) await Bun.sleep(50);
}

describe('petstore serve on PostgreSQL, with two workers', () => {
  it('serves what any worker has created, and makes no first key', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => addPet(service.call)));
    for (const id of ids) expect(await outcomeOf(service.call(`/v1/pets/${id}`))).toBe('200');
    expect(await cluster.run('SELECT FROM api_keys')).toEqual([]);
    expect(service.stdout + service.stderr).not.toContain('pets_');
  });

  it('responds 503 with Retry-After while the database is down, and recovers by itself', async () => {
    await cluster.stop('SIGKILL');
    await until('503 unavailable', '/readyz');
    // A backend may outlive its postmaster by a moment, and the other worker may have the last one.
    let away = await service.call('/v1/pets');
    while (away.status !== 503) away = await service.call('/v1/pets');
    expect(away.headers.get('Retry-After')).toBe('1');
    expect(await outcomeOf(service.call('/livez'))).toBe('200');
    await cluster.start();
    await until('200', '/readyz');
    await until('200', '/v1/pets');
    while (!(await addPet(service.call).catch(() => false))) await Bun.sleep(50);
  });

  it('writes no password into its log', async () => {
    expect(await service.stop()).toBe(0);
    expect(service.stdout).toContain('"code":"unavailable"');
    expect(service.stdout + service.stderr).not.toContain(superuser.password);
  });
});
