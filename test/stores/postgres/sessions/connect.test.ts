import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { describeError } from '../../../../src/system/log.ts';
import { parseAddress } from '../../../../src/stores/postgres/address.ts';
import { openSession, type Session, type SessionOptions } from '../../../../src/stores/postgres/session.ts';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { makeFolder, runCli } from '../../../support/process/process.ts';
import { openProxy } from '../../../support/postgres/proxy.ts';
import { superuser, type Cluster } from '../../../support/postgres/cluster.ts';
import { untilUnavailable } from '../../../support/postgres/availability.ts';
import { failureOf } from '../../../support/failure.ts';
import { makeTlsCluster } from '../../../support/postgres/tls-cluster.ts';
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

describe('sslmode', () => {
  const at = (host: string, query: string) =>
    `postgres://${user}:${password}@${host}:${cluster.port}/postgres${query}`;

  it('encrypts with prefer (the default) and require if the server can', async () => {
    expect(await isEncrypted(at('127.0.0.1', ''))).toBe(true);
    expect(await isEncrypted(at('127.0.0.1', '?sslmode=require'))).toBe(true);
    expect(await isEncrypted(at('127.0.0.1', '?sslmode=disable'))).toBe(false);
  });

  it.each(['verify-ca', 'verify-full'])('requires a known authority with %s', async (mode) => {
    const query = `?sslmode=${mode}`;
    expect(await isEncrypted(at('localhost', `${query}&sslrootcert=${certificate}`))).toBe(true);
    expect(String(await failureOf(isEncrypted(at('localhost', query))))).toMatch(/certificate/i);
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

  it('uses no named statements if a pgbouncer would mix up the sessions', async () => {
    await using proxy = await openProxy(cluster.port);
    const usesNames = async (query: string): Promise<boolean> => {
      const store = await openPostgresStore({ address: proxy.address() + query });
      await Promise.all(Array.from({ length: 50 }, async (_, index) => store.pets.getPet(BigInt(index))));
      await Promise.all(
        Array.from({ length: 50 }, () => store.pets.apply(createPet({ name: 'Rex', categoryId: 1n }))),
      );
      const names = ['select-pets', 'insert-pets'].filter((name) => proxy.countThatSent(name) > 0);
      await store.close();
      expect([0, 2]).toContain(names.length);
      return names.length > 0;
    };
    expect(await usesNames('')).toBe(true);
    expect(await usesNames('&pgbouncer=true')).toBe(false);
  });
});

/** Opens a session as `sslmode=prefer` does, unless told otherwise. */
function open(port: number, query = '', options: Omit<SessionOptions, 'address'> = {}): Promise<Session> {
  const address = parseAddress(
    `postgres://${user}:${password}@127.0.0.1:${port}/postgres?connect_timeout=60&${query}`,
    {},
  );
  return openSession({ ...options, address });
}

/** What a login without TLS begins with. */
const plainLogin = `user\0${user}\0`;

describe('sslmode=prefer with a server that has TLS', () => {
  it('sends no login without TLS when the login fails, and says why', async () => {
    await using proxy = await openProxy(cluster.port);
    const sent = proxy.record();
    const error = await failureOf(open(proxy.port, 'dbname=nowhere'));
    expect(error).toMatchObject({ code: '3D000' });
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.join('').includes(plainLogin)).toBe(false);
  });
});

describe('a login without TLS', () => {
  it.each([
    ['is sent with prefer if the server reports that it has no TLS', '', 'N', [false, true]],
    ['is not sent with prefer if the server says that it speaks TLS and leaves', '', 'S', [false]],
    ['is not sent with prefer if the server says nothing and leaves', '', '', [false]],
    ['is not sent with prefer if the server reports an error and leaves', '', 'E', [false]],
    ['is not sent with prefer if the server says more than it was asked and leaves', '', 'NN', [false]],
    ['is never sent with require', 'sslmode=require', 'N', [false]],
  ])('%s', async (_title, query, reply, logins) => {
    await using server = await openServerThatReplies(reply);
    await failureOf(open(server.port, query));
    expect(server.received.map((text) => text.includes(plainLogin))).toEqual(logins);
  });
});

describe('a pooler that does not accept the settings of a session', () => {
  it('is refused at once, with advice', async () => {
    const fields = 'SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0';
    const refusal = `E\0\0\0${String.fromCharCode(4 + fields.length)}${fields}`;
    await using pooler = await openServerThatReplies(refusal);
    const address = `postgres://${user}@127.0.0.1:${pooler.port}/postgres?sslmode=disable`;
    expect(String(await failureOf(openPostgresStore({ address })))).toMatch(
      /statement_timeout.+ Add pgbouncer=true to the address\.$/,
    );
    expect(pooler.received).toHaveLength(1);
  });
});

describe('an abandoned session', () => {
  it.each(['disable', 'require'])('ends at once on both sides, with sslmode=%s', async (mode) => {
    const name = `given-up-${mode}`;
    const session = await open(
      cluster.port,
      `sslmode=${mode}&application_name=${name}&options=-cclient_connection_check_interval%3D100`,
      { timeouts: { lockMs: 600_000, statementMs: 600_000, silenceMs: 600_000 } },
    );
    // Longer than any test: neither side waits for it.
    const query = failureOf(session.query('SELECT pg_sleep(600)'));
    session.destroy();
    await query;
    expect(session.isOpen).toBe(false);
    const countSessions = () =>
      cluster.run(`SELECT FROM pg_stat_activity WHERE application_name = '${name}'`);
    while ((await countSessions()).length > 0) await Bun.sleep(20);
  });
});

describe('the password', () => {
  it('comes from a password file', async () => {
    using folder = makeFolder();
    const file = join(folder.path, 'pgpass');
    writeFileSync(file, `127.0.0.1:${cluster.port}:*:${user}:${password}\n`, { mode: 0o600 });
    const migrated = await runCli(
      ['migrate', '--database-url', `postgres://${user}@127.0.0.1:${cluster.port}/postgres`],
      {
        env: { PGPASSFILE: file },
      },
    );
    expect(migrated.status).toBe(0);
  });

  it('appears in no error', async () => {
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
