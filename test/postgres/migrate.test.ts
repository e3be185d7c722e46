import { describe, expect, it } from 'bun:test';
import { inspectPostgres } from '../../src/postgres/tools/inspect.ts';
import { openPostgresStore } from '../../src/postgres/open.ts';
import { makeDatabase } from '../support/postgres/server.ts';

describe('a store whose schema is of version 2', () => {
  it('inspects a store of version 2 unchanged and brings it up to date at the next start', async () => {
    await using database = await makeDatabase();
    const before = await openPostgresStore({ address: database.address() });
    const { id, json } = await before.pets.createPet({ name: 'Rex', categoryId: 1n });
    await before.close();
    await database.run('DROP TABLE write_probes; UPDATE petstore_schema SET version = 2');

    expect(await inspectPostgres(database.address(), {})).toMatchObject({ isNew: false, mayWrite: true });
    const after = await openPostgresStore({ address: database.address() });
    expect(await after.pets.getPet(id)).toBe(json);
    await after.pets.checkWritable();
    await after.close();
    expect(await database.run('SELECT version FROM petstore_schema')).toEqual([{ version: 3 }]);
  });
});
