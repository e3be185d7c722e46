import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { project, runToEnd } from '../../scripts/command.ts';
import { fillFile } from '../support/fill-file.ts';
import { deployFolder, readDeployFile } from './files.ts';
import { makeDatabase, sharedServer } from '../support/postgres/server.ts';
import { makeFolder, petstoreCommand, runCli, startService } from '../support/process/process.ts';

/** The superuser of the tests has the name of the role. */
const role = 'role_of_compose';
const addressOfPage =
  'postgres://petstore@db.example/petstore?sslmode=verify-full&sslrootcert=/etc/ssl/certs/ca-certificates.crt';
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

  it('is enough for the move in docs/scale.md, which warns of nothing, and for migrate, keys and check', async () => {
    using place = makeFolder();
    const { path } = place;
    mkdirSync(join(path, 'backups'));
    await fillFile(place.database, 10);
    const settingsFile = join(path, 'petstore.env');
    writeFileSync(settingsFile, `DATABASE_URL=${place.database}\n`);
    const script = commandsOfMove()
      .replaceAll(addressOfPage, address.replace(`:${password}`, ''))
      .replaceAll('/etc/petstore/petstore.env', settingsFile)
      .replaceAll('/var/lib/petstore/petstore.db', place.database)
      .replaceAll(
        /\/var\/lib\/petstore-backups|\/var\/lib\/prometheus\/node-exporter/g,
        join(path, 'backups'),
      );
    const ended = await runToEnd(['bash', '-ec', standIns(settingsFile, join(path, 'units')) + script], {
      cwd: path,
      env: { PORT: '0', PETSTORE_PASSWORD: password },
    });
    const shownAddress = `postgres://127.0.0.1:${sharedServer.port}/${role}`;
    expect(ended.status, ended.stderr).toBe(0);
    expect(ended.stdout).toContain(` from ${place.database} to ${shownAddress}.`);
    expect(ended.stdout).toContain(`${shownAddress} (PostgreSQL `);
    expect(ended.stderr).toContain(`Made a new store at ${shownAddress}.\n`);
    expect(ended.stderr).not.toContain('Warning');

    const [disable = '', ...others] = readFileSync(join(path, 'units'), 'utf8').trim().split('\n');
    const timers = readdirSync(join(deployFolder, 'systemd')).filter((name) => name.endsWith('.timer'));
    expect(disable.split(' ').toSorted()).toEqual(['--now', 'disable', ...timers].toSorted());
    expect(others).toEqual(['stop petstore', 'start petstore']);

    const env = parseEnv(readFileSync(settingsFile, 'utf8'));
    expect(await runCli(['migrate'], { env })).toMatchObject({
      status: 0,
      stdout: `The tables of ${shownAddress} are in place.\n`,
    });
    const made = await runCli(['keys', 'create', '--name', 'till', '--json'], { env });
    const { key } = JSON.parse(made.stdout) as { key: string };
    await using service = await startService({ env });
    expect(await (await service.callWith(key, '/v1/pets')).json()).toHaveLength(10);
    expect((await runCli(['keys', 'revoke', '1'], { env })).status).toBe(0);
  });
});

/** Without the block that runs role.sql: psql does not come from npm. `npm run check:operations` runs it. */
function commandsOfMove(): string {
  const page = readFileSync(join(project, 'docs/scale.md'), 'utf8');
  const [, section = ''] = /^## Move to PostgreSQL$(.*?)^## /ms.exec(page) ?? [];
  const blocks = Array.from(section.matchAll(/^```sh\n(.*?)^```/gms), ([, block = '']) => block);
  expect(blocks).toHaveLength(5);
  const [first, ...others] = blocks;
  expect(readDeployFile('systemd/petstore.env')).toContain(`# DATABASE_URL=${addressOfPage}\n`);
  expect(first).toContain('psql --set=ON_ERROR_STOP=1 <deploy/postgres/role.sql');
  return others.join('');
}

/** A machine where everybody is root, systemd only writes down what it is told, and `petstore` is the one of this checkout. */
function standIns(settingsFile: string, journal: string): string {
  const program = petstoreCommand(['--env-file', settingsFile])
    .map((word) => `'${word}'`)
    .join(' ');
  return `sudo() { "$@"; }\nsystemctl() { echo "$*" >>'${journal}'; }\npetstore() { ${program} "$@"; }\n`;
}
