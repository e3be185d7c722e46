import { writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'bun:test';
import { issueKey } from '../../../../src/stores/issue-key.ts';
import { openPostgresStore } from '../../../../src/stores/postgres/open.ts';
import { addressAt, makeCluster, superuser, withoutDurability } from '../../../support/postgres/cluster.ts';
import { createPet } from '../../../support/changes.ts';

it('creates, reads and keys work behind a pooler in transaction mode if the address says so', async () => {
  await using cluster = await makeCluster(withoutDurability);
  writeFileSync(join(cluster.dataFolder, 'pg_hba.conf'), 'host all all 127.0.0.1/32 trust\n');
  await cluster.start();
  await using pooler = await openPooler(cluster.port);
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
  const { key } = await issueKey(store.keys, { name: 'till', now: new Date() });
  expect(await store.keys.findKey(key.hash)).toEqual(key);
  await store.keys.revokeKey(key.id, new Date());
  expect(await store.keys.findKey(key.hash)).toBeUndefined();
  await store.close();
});

/**
 * A pooler in transaction mode, as pgbouncer is one, with a single session on the server: after each transaction, it is
 * free for the next caller. The server must trust everybody who connects.
 */
async function openPooler(serverPort: number) {
  const server = connect(serverPort, '127.0.0.1');
  const callers = new Set<Socket>();
  /** Whole messages that wait for the session, by caller. */
  const unsent = new Map<Socket, Buffer[]>();
  /** The caller that has the session, and how many of its transactions have not ended. */
  let owner: Socket | undefined;
  let pending = 1;

  const send = (): void => {
    owner ??= unsent.keys().next().value;
    if (!owner) return;
    for (const message of unsent.get(owner) ?? []) {
      // A query, or the end of an extended one: a transaction of its own, unless one was begun.
      if (message[0] === 0x51 || message[0] === 0x53) pending += 1;
      server.write(message);
    }
    unsent.delete(owner);
  };
  const isReady = Promise.withResolvers<void>();
  server.on('error', isReady.reject).on(
    'data',
    framesOf((message) => {
      owner?.write(message);
      if (message[0] !== 0x5a) return;
      pending -= 1;
      const isIdle = message[5] === 0x49;
      if (!isIdle || pending > 0) return;
      isReady.resolve();
      owner = undefined;
      send();
    }),
  );
  const settings = Buffer.from(`user\0${superuser.user}\0database\0postgres\0\0`, 'latin1');
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + settings.length, 0);
  head.writeUInt32BE(0x0003_0000, 4);
  server.write(Buffer.concat([head, settings]));
  await isReady.promise;

  const listener = createServer((caller) => {
    callers.add(caller);
    caller.on('error', () => {});
    caller.once('data', () => {
      const ready = [
        'R\0\0\0\x08\0\0\0\0',
        parameter('server_version', '18.0'),
        'K\0\0\0\x0c\0\0\0\x01\0\0\0\x01',
      ];
      caller.write(Buffer.from(`${ready.join('')}Z\0\0\0\x05I`, 'latin1'));
      const takeMessages = framesOf((message) => {
        if (message[0] === 0x58) caller.end();
        else unsent.set(caller, [...(unsent.get(caller) ?? []), message]);
      });
      caller.on('data', (bytes: Buffer) => {
        takeMessages(bytes);
        if (!owner || owner === caller) send();
      });
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of [server, ...callers]) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
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
