import { writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { issueKey } from '../../../../src/stores/issue-key.ts';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { runCli } from '../../../support/process/process.ts';
import {
  addressAt,
  makeCluster,
  superuser,
  withoutDurability,
  type Cluster,
} from '../../../support/postgres/cluster.ts';
import { createPet } from '../../../support/changes.ts';

let cluster: Cluster;
let pooler: Pooler;

beforeAll(async () => {
  cluster = await makeCluster(withoutDurability);
  writeFileSync(join(cluster.dataFolder, 'pg_hba.conf'), 'host all all 127.0.0.1/32 trust\n');
  await cluster.start();
  pooler = await openPooler({ serverPort: cluster.port });
});
afterAll(async () => {
  await pooler[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

describe('a pooler in transaction mode', () => {
  it('is refused with advice when it does not accept the settings of a session', async () => {
    await using strict = await openPooler({ serverPort: cluster.port, refusesTimeouts: true });
    const url = addressAt(strict.port, 'postgres', '?sslmode=disable');
    const { status, stderr } = await runCli(['serve', '--port', '0', '--database-url', url]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^petstore: .+statement_timeout.+ Add pgbouncer=true to the address\.\n$/);
    // It does not pass by itself, so nobody tries again.
    expect(strict.refusals).toBe(1);
  });

  it('serves creates, reads and keys if the address says so', async () => {
    const address = addressAt(pooler.port, 'postgres', '?sslmode=disable&pgbouncer=true');
    const store = await openPostgresStore({ address });
    const created = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        store.pets.apply(
          createPet({ name: `pet ${index}`, categoryId: 1n }, { caller: 'till', key: String(index) }),
        ),
      ),
    );
    for (const { id, json } of created) expect(await store.pets.getPet(id)).toBe(json);
    await store.pets.checkWritable();
    const { key } = await issueKey(store.keys, { name: 'till', now: new Date() });
    expect(await store.keys.findKey(key.hash)).toEqual(key);
    await store.keys.revokeKey(key.id, new Date());
    expect(await store.keys.findKey(key.hash)).toBeUndefined();
    await store.close();
  });
});

/**
 * A pooler in transaction mode, as pgbouncer is one: after each transaction a caller's session on the server is free for
 * the next caller. The server must trust everybody who connects.
 */
interface Pooler extends AsyncDisposable {
  port: number;
  /** How many sessions were refused because of their timeouts. */
  readonly refusals: number;
}

interface ServerSession {
  socket: Socket;
  /** Where its responses go while it is taken. */
  caller: Socket | undefined;
  /** Transactions that were sent and have not ended. */
  pending: number;
}

interface PoolerOptions {
  serverPort: number;
  /** Ends sessions that start with a timeout, as pgbouncer does unless it is told to ignore them. */
  refusesTimeouts?: boolean;
}

async function openPooler(options: PoolerOptions): Promise<Pooler> {
  const { refusesTimeouts = false } = options;
  const free: ServerSession[] = [];
  const waiting: (() => void)[] = [];
  const callers = new Set<Socket>();
  let refusals = 0;
  const release = (session: ServerSession): void => {
    session.caller = undefined;
    // The one that was used last is used next, as pgbouncer does it.
    free.push(session);
    waiting.shift()?.();
  };
  const sessions = await Promise.all([1, 2, 3].map(() => startSession(options.serverPort, release)));
  free.push(...sessions);

  const listener = createServer((caller) => {
    callers.add(caller);
    caller.on('error', () => {}).on('close', () => callers.delete(caller));
    let hasStarted = false;
    let session: ServerSession | undefined;
    const unsent: Buffer[] = [];
    const send = (): void => {
      if (unsent.length === 0) return;
      if (!session || session.caller !== caller) session = free.pop();
      if (!session) {
        waiting.push(send);
        return;
      }
      session.caller = caller;
      for (const message of unsent.splice(0)) {
        // A query, or the end of an extended one: a transaction of its own, unless one was begun.
        if (message[0] === 0x51 || message[0] === 0x53) session.pending += 1;
        session.socket.write(message);
      }
    };
    const takeMessages = framesOf((message) => {
      if (message[0] === 0x58) caller.end();
      else unsent.push(message);
    });
    caller.on('data', (bytes: Buffer) => {
      if (hasStarted) {
        takeMessages(bytes);
        return send();
      }
      hasStarted = true;
      if (refusesTimeouts && bytes.includes('statement_timeout')) {
        refusals += 1;
        return caller.end(refusal);
      }
      const ready = [
        'R\0\0\0\x08\0\0\0\0',
        parameter('server_version', '18.0'),
        'K\0\0\0\x0c\0\0\0\x01\0\0\0\x01',
      ];
      caller.write(Buffer.from(`${ready.join('')}Z\0\0\0\x05I`, 'latin1'));
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    get refusals() {
      return refusals;
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of sessions) socket.destroy();
      for (const caller of callers) caller.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

const refusalFields = 'SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0';
const refusal = `E\0\0\0${String.fromCharCode(4 + refusalFields.length)}${refusalFields}`;

async function startSession(
  serverPort: number,
  release: (session: ServerSession) => void,
): Promise<ServerSession> {
  const socket = connect(serverPort, '127.0.0.1');
  const session: ServerSession = { socket, caller: undefined, pending: 1 };
  const isReady = Promise.withResolvers<void>();
  const takeMessages = framesOf((message) => {
    const { caller } = session;
    caller?.write(message);
    if (message[0] !== 0x5a) return;
    session.pending -= 1;
    const isIdle = message[5] === 0x49;
    if (!caller) isReady.resolve();
    else if (isIdle && session.pending === 0) release(session);
  });
  socket.on('data', takeMessages).on('error', isReady.reject);
  const settings = Buffer.from(`user\0${superuser.user}\0database\0postgres\0\0`, 'latin1');
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + settings.length, 0);
  head.writeUInt32BE(0x0003_0000, 4);
  socket.write(Buffer.concat([head, settings]));
  await isReady.promise;
  return session;
}

/** Calls back with whole messages, whatever the pieces they come in. */
function framesOf(take: (message: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const length = 1 + rest.readUInt32BE(1);
      take(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

function parameter(name: string, value: string): string {
  const body = `${name}\0${value}\0`;
  return `S\0\0\0${String.fromCharCode(4 + body.length)}${body}`;
}
