import { chmodSync, writeFileSync } from 'node:fs';
import { chown, copyFile, stat } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { describeError } from '../../../../src/system/log.ts';
import { parseAddress } from '../../../../src/stores/postgres/address.ts';
import { createPool } from '../../../../src/stores/postgres/pool.ts';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { makeFolder, runCli } from '../../../support/process/process.ts';
import { openProxy } from '../proxy.ts';
import {
  makeCluster,
  superuser,
  withoutDurability,
  type Cluster,
} from '../../../support/postgres/cluster.ts';
import { untilUnavailable } from '../availability.ts';
import { failureOf } from '../../../support/failure.ts';
import { createPet } from '../../../support/changes.ts';

const { user, password } = superuser;
const certificate = join(import.meta.dir, '../../../fixtures/localhost.pem');
let cluster: Cluster;

beforeAll(async () => {
  const listen = process.platform === 'linux' ? '127.0.0.1,127.0.0.2' : '127.0.0.1';
  cluster = await makeTlsCluster({ listen_addresses: listen });
  await cluster.start();
});
afterAll(() => cluster[Symbol.asyncDispose]());

/** Opens a store and says whether its connections are encrypted. */
async function isEncrypted(address: string): Promise<boolean> {
  const store = await openPostgresStore({ address });
  await store.pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
  const [row] = await cluster.run(
    "SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'petstore'",
  );
  await store.close();
  return row?.['ssl'] === true;
}

const at = (host: string, query: string) =>
  `postgres://${user}:${password}@${host}:${cluster.port}/postgres${query}`;

describe('sslmode', () => {
  it('encrypts with require, and not without it on this machine', async () => {
    expect(await isEncrypted(at('127.0.0.1', ''))).toBe(false);
    expect(await isEncrypted(at('127.0.0.1', '?sslmode=require'))).toBe(true);
    expect(await isEncrypted(at('127.0.0.1', '?sslmode=disable'))).toBe(false);
  });

  it('requires a known authority with verify-full, and with require if one is given', async () => {
    for (const mode of ['verify-full', 'verify-ca', 'require'])
      expect(await isEncrypted(at('localhost', `?sslmode=${mode}&sslrootcert=${certificate}`))).toBe(true);
    using folder = makeFolder();
    const other = join(folder.path, 'other.pem');
    writeFileSync(other, rootCertificates[0]!);
    for (const query of [
      'verify-full',
      ...['verify-full', 'require'].map((mode) => `${mode}&sslrootcert=${other}`),
    ])
      expect(String(await failureOf(isEncrypted(at('localhost', `?sslmode=${query}`))))).toContain(
        'name the file with its certificate in --database-url: sslrootcert=FILE.',
      );
  });

  // Only Linux answers on all of 127.0.0.0/8; the certificate is for 127.0.0.1 alone.
  it('refuses a certificate of another host with verify-full', async () => {
    const trusting = `&sslrootcert=${certificate}`;
    expect(await isEncrypted(at('127.0.0.2', `?sslmode=verify-ca${trusting}`))).toBe(true);
    expect(String(await failureOf(isEncrypted(at('127.0.0.2', `?sslmode=verify-full${trusting}`))))).toMatch(
      /altnames/,
    );
  });
});

describe('a connection', () => {
  it('can use a Unix socket', async () => {
    const address = `postgres://${user}:${password}@/postgres?host=${cluster.folder}&port=${cluster.port}`;
    expect(await isEncrypted(address)).toBe(false);
  });

  it('starts with parameters that a pgbouncer knows, and no variable of libpq replaces a part of the address', async () => {
    await using proxy = await openProxy(cluster.port);
    const sent = proxy.record();
    const elsewhere = {
      PGSSLMODE: 'require',
      PGHOST: 'nowhere.invalid',
      PGPORT: '1',
      PGUSER: 'nobody',
      PGDATABASE: 'nowhere',
    };
    const encodings = { PGCLIENT_ENCODING: 'LATIN1', PGSSLNEGOTIATION: 'direct', PGAPPNAME: 'other' };
    const migrated = await runCli(['migrate', '--database-url', proxy.address()], {
      env: { ...elsewhere, ...encodings },
    });
    expect(migrated).toMatchObject({ status: 0, stderr: '' });
    // Length and version, then names and values.
    const names = sent[0]!
      .slice(8)
      .split('\0')
      .filter((_, index) => index % 2 === 0);
    expect(names.filter(Boolean).toSorted()).toEqual([
      'application_name',
      'client_encoding',
      'database',
      'user',
    ]);
    expect(sent[0]).toContain('client_encoding\0UTF8\0');
  });
});

/** What a login without TLS begins with. */
const plainLogin = `user\0${user}\0`;

describe('a login without TLS', () => {
  it.each([
    ['reports that it has no TLS', 'N'],
    ['says that it speaks TLS and leaves', 'S'],
    ['says nothing and leaves', ''],
    ['reports an error and leaves', 'E'],
    ['says more than it was asked and leaves', 'NN'],
  ])('is never sent with require if the server %s', async (_title, reply) => {
    await using server = await openServerThatReplies(reply);
    const address = `postgres://${user}:${password}@127.0.0.1:${server.port}/postgres?sslmode=require`;
    await failureOf(openPostgresStore({ address }));
    expect(server.received).not.toBeEmpty();
    expect(server.received.join('')).not.toContain(plainLogin);
  });
});

describe('an abandoned session', () => {
  it.each(['disable', 'require'])('ends at once on both sides, with sslmode=%s', async (mode) => {
    const name = `given-up-${mode}`;
    const query = `?sslmode=${mode}&application_name=${name}&options=-cclient_connection_check_interval%3D100`;
    const pool = createPool({
      address: parseAddress(at('127.0.0.1', query)),
      size: 1,
      timeouts: { lockMs: 600_000, statementMs: 600_000, silenceMs: 600_000 },
    });
    const abandoned = pool.run(async (session) => {
      // Longer than any test: neither side waits for it.
      const statement = session.send('SELECT pg_sleep(600)');
      session.destroy();
      await statement;
    });
    expect(await failureOf(abandoned)).toMatchObject({ name: 'SessionLostError' });
    const countSessions = () =>
      cluster.run(`SELECT FROM pg_stat_activity WHERE application_name = '${name}'`);
    while ((await countSessions()).length > 0) await Bun.sleep(20);
    await pool.close();
  });
});

describe('the password', () => {
  it('comes from PGPASSWORD if the address has none', async () => {
    const address = `postgres://${user}@127.0.0.1:${cluster.port}/postgres`;
    const migrated = await runCli(['migrate', '--database-url', address], { env: { PGPASSWORD: password } });
    expect(migrated).toMatchObject({ status: 0, stderr: '' });
  });

  it('does not appear in errors', async () => {
    const secret = 'a-very-secret-word';
    const withSecret = (port: number) => `postgres://${user}:${secret}@127.0.0.1:${port}/postgres`;
    const { status, stdout, stderr } = await runCli(['migrate', '--database-url', withSecret(cluster.port)]);
    expect(status).toBe(1);
    expect(stderr).toStartWith('petstore: The database cannot be used: ');
    expect(stdout + stderr).not.toContain(secret);
    const away = await openPostgresStore({ address: withSecret(1) }).catch((e: unknown) => e);
    expect(describeError(away)).toContain('ECONNREFUSED');
    expect(describeError(away)).not.toContain(secret);
    const store = await openPostgresStore({ address: cluster.address() });
    await cluster.stop('SIGKILL');
    await untilUnavailable(store.pets);
    const error = await failureOf(store.pets.getPet(1n));
    expect(describeError(error)).not.toContain(password);
    await cluster.start();
    await store.close();
  });
});

interface ReplyingServer extends AsyncDisposable {
  port: number;
  /** What was sent on each connection. */
  received: string[];
}

/** Replies to the first message of each connection, and closes it. */
async function openServerThatReplies(reply: string): Promise<ReplyingServer> {
  const received: string[] = [];
  const listener = createServer((caller: Socket) => {
    const index = received.push('') - 1;
    caller.on('error', () => {});
    caller.on('data', (bytes) => {
      received[index] += bytes.toString('latin1');
      caller.end(reply);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    received,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** A server that speaks TLS, with the certificate of the tests; it is to be started. */
async function makeTlsCluster(settings: Record<string, string> = {}): Promise<Cluster> {
  const made = await makeCluster({ ...withoutDurability, ssl: 'on', ...settings });
  // PostgreSQL refuses a key that others could read.
  const { uid, gid } = await stat(made.dataFolder);
  for (const [from, to] of [
    ['localhost.pem', 'server.crt'],
    ['localhost-key.pem', 'server.key'],
  ] as const) {
    const path = join(made.dataFolder, to);
    await copyFile(join(import.meta.dir, '../../../fixtures', from), path);
    await chown(path, uid, gid);
    chmodSync(path, 0o600);
  }
  return made;
}
