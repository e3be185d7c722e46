import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { fillFile } from '../support/fill-file.ts';
import { readDeployFile } from '../support/deploy/files.ts';
import { makeDatabase, sharedServer } from '../support/postgres/server.ts';
import { makeFolder, runCli, startService } from '../support/process/process.ts';

/** The superuser of the tests has the name of the role. */
const role = 'role_of_compose';
const password = 'password-of-the-role';
const address = `postgres://${role}:${password}@127.0.0.1:${sharedServer.port}/${role}?sslmode=disable`;

beforeAll(async () => {
  // As psql reads it: line by line, and with the variable that \getenv has set.
  const statements = readDeployFile('postgres/role.sql').match(/^[A-Z].*;$/gm) ?? [];
  expect(statements).toHaveLength(3);
  for (const statement of statements) {
    await sharedServer.run(statement.replaceAll('petstore', role).replace(":'password'", `'${password}'`));
  }
});
afterAll(async () => {
  await sharedServer.run(`DROP DATABASE ${role} WITH (FORCE)`);
  await sharedServer.run(`DROP ROLE ${role}`);
});

describe('a shared database', () => {
  it('gives the role a schema of its own, where a start warns of nobody', async () => {
    await using shared = await makeDatabase();
    const file = readDeployFile('postgres/role.sql');
    const statements = Array.from(file.matchAll(/^-- {3}(.*;)$/gm), ([, statement = '']) => statement);
    expect(statements).toHaveLength(2);
    for (const statement of statements)
      await shared.run(statement.replaceAll('petstore', role).replace('shared', shared.name));
    const databaseUrl = shared.address().replace(/\/\/[^@]+@/, `//${role}:${password}@`);
    await using service = await startService({ databaseUrl });
    expect((await service.call('/readyz')).status).toBe(200);
    expect(service.stdout + service.stderr).not.toContain('Other roles');
    const [place] = await shared.run(
      "SELECT relnamespace::regnamespace::text AS schema FROM pg_class WHERE relname = 'pets'",
    );
    expect(place).toEqual({ schema: role });
  });
});

describe('the role that compose.yaml gives the service', () => {
  it('has no right beyond its database', async () => {
    const columns = 'rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls';
    const [rights = {}] = await sharedServer.run(`SELECT ${columns} FROM pg_roles WHERE rolname = '${role}'`);
    expect(Object.values(rights)).toEqual(Array(5).fill(false));
  });

  it('is enough for copy, which warns of nothing, and for a start, migrate, keys and doctor', async () => {
    using place = makeFolder();
    await fillFile(place.database, 10);
    const copied = await runCli(['copy', '--from', place.database, '--to', address]);
    const shownAddress = `postgres://127.0.0.1:${sharedServer.port}/${role}`;
    expect(copied.status).toBe(0);
    expect(copied.stdout).toContain(`${place.database} and ${shownAddress} are the same.`);
    expect(copied.stderr).toStartWith(`Made a new store at ${shownAddress}.\n`);
    expect(copied.stderr).not.toContain('DeprecationWarning');
    const env = { DATABASE_URL: address };
    expect(await runCli(['migrate'], { env })).toMatchObject({
      status: 0,
      stdout: `The tables of ${shownAddress} are in place.\n`,
    });
    const made = await runCli(['keys', 'create', '--name', 'till', '--json'], { env });
    expect(made.stderr).toBe(`Store: ${shownAddress}\n`);
    const { key } = JSON.parse(made.stdout) as { key: string };
    await using service = await startService({ databaseUrl: address });
    expect((await service.callWith(key, '/v1/pets')).status).toBe(200);
    expect((await runCli(['keys', 'revoke', '1'], { env })).status).toBe(0);
    expect((await runCli(['doctor', '--port', '0'], { env })).stdout).toContain(
      `at ${shownAddress} responds`,
    );
  });
});
