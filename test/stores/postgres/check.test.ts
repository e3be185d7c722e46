import { describe, expect, it } from 'bun:test';
import { checkPostgres, openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { definitions } from '../../../src/stores/schema.ts';
import { createLog } from '../../../src/system/log.ts';
import { noReport } from '../../../src/system/progress.ts';
import { failureOf } from '../../support/failure.ts';
import { makeFolder, runCli } from '../../support/process/process.ts';
import { hold } from '../../support/postgres/cluster.ts';
import { makeDatabase, type Database } from '../../support/postgres/server.ts';

const quiet = createLog({ level: 'error', write() {} });
const check = (address: string) => checkPostgres({ address, log: quiet, report: noReport });

describe('a role that may not write', () => {
  it('is refused at the start and by a check, with what to grant, and is enough after that', async () => {
    await using database = await makeDatabase();
    await (await openPostgresStore({ address: database.address() })).close();
    const address = await makeRole(database, 'Clerk', 'SELECT, INSERT');
    const start = async () => String(await failureOf(openPostgresStore({ address })));
    const refusal = await start();
    expect(refusal).toStartWith(
      `OperatorError: The role "Clerk_of_${database.name}" may not read and write api_keys, `,
    );
    expect(String(await failureOf(check(address)))).toBe(refusal);
    const [grant = ''] = /GRANT .+;/.exec(refusal) ?? [];
    await database.run(grant);
    await (await openPostgresStore({ address })).close();
    expect(await check(address)).toMatchObject({ content: { petCount: 0 } });

    await database.run(`REVOKE DELETE ON events FROM "Clerk_of_${database.name}"`);
    expect(await start()).toContain('may not read and write events.');
    await database.run(grant);
    await database.run(`REVOKE USAGE ON SEQUENCE pet_ids FROM "Clerk_of_${database.name}"`);
    expect(await start()).toContain('may not read and write pet_ids.');
  });

  it('is refused without any right, and if its transactions are read-only', async () => {
    await using database = await makeDatabase();
    await (await openPostgresStore({ address: database.address() })).close();
    const stranger = await makeRole(database, 'stranger');
    expect(String(await failureOf(openPostgresStore({ address: stranger })))).toContain(
      'may not read and write',
    );
    const reader = await makeRole(database, 'reader', 'SELECT, INSERT, UPDATE, DELETE');
    await database.run(`ALTER ROLE "reader_of_${database.name}" SET default_transaction_read_only = on`);
    expect(String(await failureOf(openPostgresStore({ address: reader })))).toContain('are read-only.');
  });

  it('may be copied from', async () => {
    await using database = await makeDatabase();
    await (await openPostgresStore({ address: database.address() })).close();
    const address = await makeRole(database, 'auditor', 'SELECT');
    await database.run(`GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO "auditor_of_${database.name}"`);
    using folder = makeFolder();
    const copied = await runCli(['copy', '--from', address, '--to', folder.database]);
    expect(copied).toMatchObject({ status: 0 });
  });
});

describe('a check beside a start that makes the tables', () => {
  it('waits for it, and finds the store', async () => {
    await using database = await makeDatabase();
    // The lock under which a start makes them.
    const make = `SELECT pg_advisory_xact_lock(1885697139); ${definitions.postgres}`;
    await using start = await hold(database, make);
    const checked = check(database.address());
    await start.untilWaiting(1);
    await start.release();
    expect(await checked).toMatchObject({ content: { petCount: 0 } });
  });
});

/** Roles belong to the whole server, so that the name holds that of the database. */
async function makeRole(database: Database, name: string, rights?: string): Promise<string> {
  const role = `${name}_of_${database.name}`;
  await database.run(`CREATE ROLE "${role}" LOGIN PASSWORD 'secret'`);
  if (rights !== undefined)
    await database.run(`
      GRANT ${rights} ON ALL TABLES IN SCHEMA public TO "${role}";
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO "${role}"`);
  return database.addressAs(role, 'secret');
}
