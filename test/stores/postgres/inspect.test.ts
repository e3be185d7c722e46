import { describe, expect, it } from 'bun:test';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { inspectPostgres } from '../../../src/stores/postgres/maintenance/inspect.ts';
import { runCli } from '../../support/process/process.ts';
import { makeDatabase, type Database } from '../../support/postgres/server.ts';
import { createPet } from '../../support/changes.ts';

describe('a database that is inspected', () => {
  it('shows how many pets and orders it holds', async () => {
    await using database = await makeDatabase();
    expect(await inspectPostgres(database.address(), {})).toMatchObject({ isNew: true, orderCount: 0 });
    const store = await openPostgresStore({ address: database.address() });
    for (const status of ['pending', 'sold', 'available'] as const)
      await store.pets.apply(createPet({ name: 'Rex', categoryId: 1n, status }));
    await store.close();
    expect(await inspectPostgres(database.address(), {})).toMatchObject({ petCount: 3, orderCount: 2 });
    const { stdout } = await runCli(['doctor', '--database-url', database.address()]);
    expect(stdout).toContain('holds 3 pets and 2 orders.');
  });

  it('shows whether the role may write', async () => {
    await using database = await makeDatabase();
    await (await openPostgresStore({ address: database.address() })).close();
    const address = await makeRole(database, 'clerk', 'SELECT, INSERT');
    expect(await inspectPostgres(address, {})).toMatchObject({ mayWrite: false });
    const { stdout } = await runCli(['doctor', '--database-url', address]);
    expect(stdout).toContain('The role lacks rights.');
    const able = await makeRole(database, 'seller', 'SELECT, INSERT, UPDATE, DELETE');
    expect(await inspectPostgres(able, {})).toMatchObject({ mayWrite: true });
  });
});

/** Roles belong to the whole server, so that the name holds that of the database. */
async function makeRole(database: Database, name: string, rights: string): Promise<string> {
  const role = `${name}_of_${database.name}`;
  await database.run(`
    CREATE ROLE ${role} LOGIN PASSWORD 'secret';
    GRANT ${rights} ON ALL TABLES IN SCHEMA public TO ${role};
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
  return database.address().replace(/\/\/[^@]+@/, `//${role}:secret@`);
}
