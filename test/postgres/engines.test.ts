import { describe, expect, it } from 'bun:test';
import { openPostgresBulk } from '../../src/postgres/maintenance/bulk.ts';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { runCli } from '../support/process/process.ts';
import { makeDatabase } from '../support/postgres/server.ts';

const rex = { name: 'Rex', categoryId: 1n };

describe('an engine whose integers have 64 bits', () => {
  it('serves, inspects and exports an engine with 64-bit integers', async () => {
    await using database = await makeDatabase();
    const first = await openPostgresStore({ address: database.address() });
    const { id, json } = await first.pets.createPet(rex);
    await first.close();
    await database.run('ALTER TABLE petstore_schema ALTER COLUMN version TYPE bigint');

    const bulk = await openPostgresBulk({ address: database.address(), mayCreate: false });
    expect(await bulk.pets.count()).toBe(1);
    await bulk.close();
    const exported = await runCli(['export', '--database-url', database.address()]);
    expect(exported).toMatchObject({ status: 0, stdout: `${json}\n` });
    const again = await openPostgresStore({ address: database.address() });
    expect(await again.pets.getPet(id)).toBe(json);
    await again.close();
  });
});
