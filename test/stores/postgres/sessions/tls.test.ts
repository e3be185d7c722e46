import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { parseAddress } from '../../../../src/stores/postgres/address.ts';
import { openSession, type Session, type SessionOptions } from '../../../../src/stores/postgres/session.ts';
import { superuser, type Cluster } from '../../../support/postgres/cluster.ts';
import { failureOf } from '../../../support/failure.ts';
import { openProxy, type PostgresProxy } from '../../../support/postgres/proxy.ts';
import { makeTlsCluster } from '../../../support/postgres/tls-cluster.ts';

let cluster: Cluster;
let proxy: PostgresProxy;

beforeAll(async () => {
  cluster = await makeTlsCluster();
  await cluster.start();
  proxy = await openProxy(cluster.port);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

/** Opens a session as `sslmode=prefer` does, unless told otherwise. */
function open(port: number, query = '', options: Omit<SessionOptions, 'address'> = {}): Promise<Session> {
  const { user, password } = superuser;
  const address = parseAddress(
    `postgres://${user}:${password}@127.0.0.1:${port}/postgres?connect_timeout=60&${query}`,
    {},
  );
  return openSession({ ...options, address });
}

/** What a login without TLS begins with. */
const plainLogin = `user\0${superuser.user}\0`;

describe('sslmode=prefer with a server that has TLS', () => {
  it('sends no login without TLS when the login fails, and says why', async () => {
    const sent = proxy.record();
    const error = await failureOf(open(proxy.port, 'dbname=nowhere'));
    expect(error).toMatchObject({ code: '3D000' });
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.join('').includes(plainLogin)).toBe(false);
  });
});

describe('sslmode=prefer', () => {
  it('logs in without TLS if the server reports that it has none', async () => {
    await using server = await openServerThatReplies('N');
    await failureOf(open(server.port));
    expect(server.received.map((text) => text.includes(plainLogin))).toEqual([false, true]);
  });

  it.each([
    ['says that it speaks TLS', 'S'],
    ['says nothing', ''],
    ['reports an error', 'E'],
    ['says more than it was asked', 'NN'],
  ])('does not reconnect without TLS if the server %s and leaves', async (_name, reply) => {
    await using server = await openServerThatReplies(reply);
    await failureOf(open(server.port));
    expect(server.received.map((text) => text.includes(plainLogin))).toEqual([false]);
  });
});

describe('sslmode=require', () => {
  it('never logs in without TLS', async () => {
    await using server = await openServerThatReplies('N');
    await failureOf(open(server.port, 'sslmode=require'));
    expect(server.received.map((text) => text.includes(plainLogin))).toEqual([false]);
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
