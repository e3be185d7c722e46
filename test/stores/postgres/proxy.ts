import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Registry } from '../../../src/metrics/registry.ts';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import type { Store } from '../../../src/stores/store.ts';
import { addressAt } from '../../support/postgres/cluster.ts';
import { makeDatabase, sharedServer, type Database } from '../../support/postgres/server.ts';

/** Stands between a store and its PostgreSQL server, and loses connections when told to. */
export interface PostgresProxy extends AsyncDisposable {
  port: number;
  /** The address of a database behind it, without TLS. */
  address(database?: string): string;
  /**
   * The next create is handed to the server, and its connection is lost: `at-once`, while the server may still be at
   * work, or `after-answer`, when the server has committed and answered.
   */
  cutNextCreate(moment: CutMoment): void;
  /** The next time this text is sent to the server, it gets another one of the same length. */
  replaceNext(text: string, other: string): void;
  /** How many statements were cut. */
  readonly cuts: number;
  /** Everything that is sent to the server from now on, as it is sent. */
  record(): string[];
  /** Ends every connection on which this text has been sent to the server. */
  cutConnectionsThatSent(text: string): void;
  /** New connections lead to another server from now on; those that are open stay where they are. */
  leadTo(port: number): void;
  /** The same, and ends those that are open, as HAProxy does with `on-marked-down shutdown-sessions`. */
  moveTo(port: number): void;
  /** Nothing passes any more, though nothing is closed: a cable pulled out. New connections get no answer. */
  freeze(): void;
  /** Ends all connections and lets new ones through. */
  thaw(): void;
}

interface Pair {
  caller: Socket;
  server: Socket;
  sent: string;
}

type CutMoment = 'at-once' | 'after-answer';

export async function openProxy(firstPort: number): Promise<PostgresProxy> {
  let serverPort = firstPort;
  const pairs = new Set<Pair>();
  let armed: CutMoment | undefined;
  let cuts = 0;
  let isFrozen = false;
  let recorded: string[] | undefined;
  let replacement: { text: string; other: string } | undefined;

  const cut = (pair: Pair): void => {
    pairs.delete(pair);
    pair.caller.destroy();
    // The server still reads what was handed to it.
    pair.server.end();
  };

  const listener = createServer((caller) => {
    const server = connect(serverPort, '127.0.0.1');
    const pair: Pair = { caller, server, sent: '' };
    let isWaitingForAnswer = false;
    pairs.add(pair);
    for (const socket of [caller, server]) socket.on('error', () => {}).on('close', () => cut(pair));

    caller.on('data', (bytes: Buffer) => {
      if (isFrozen) return;
      if (replacement && bytes.includes(replacement.text)) {
        bytes.write(replacement.other, bytes.indexOf(replacement.text));
        replacement = undefined;
      }
      recorded?.push(bytes.toString('latin1'));
      pair.sent = (pair.sent + bytes.toString('latin1')).slice(-100_000);
      const moment = bytes.includes('insert-pets') ? armed : undefined;
      if (moment !== undefined) {
        armed = undefined;
        cuts += 1;
        isWaitingForAnswer = moment === 'after-answer';
      }
      server.write(bytes, () => {
        if (moment === 'at-once') cut(pair);
      });
    });
    server.on('data', (bytes: Buffer) => {
      if (isFrozen) return;
      // A transaction is over when the server is ready for the next: "Z", length 5, "I" for idle.
      const isOver = bytes.subarray(-6).equals(Buffer.from('5a0000000549', 'hex'));
      if (!isWaitingForAnswer) caller.write(bytes);
      else if (isOver) cut(pair);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));

  const { port: ownPort } = listener.address() as AddressInfo;
  const cutAll = (): void => pairs.forEach(cut);
  return {
    port: ownPort,
    address: (database) => addressAt(ownPort, database, '?sslmode=disable'),
    cutNextCreate(moment) {
      armed = moment;
    },
    replaceNext(text, other) {
      replacement = { text, other };
    },
    get cuts() {
      return cuts;
    },
    record() {
      recorded = [];
      return recorded;
    },
    cutConnectionsThatSent(text) {
      for (const pair of pairs) if (pair.sent.includes(text)) cut(pair);
    },
    leadTo(port) {
      serverPort = port;
    },
    moveTo(port) {
      serverPort = port;
      cutAll();
    },
    freeze() {
      isFrozen = true;
    },
    thaw() {
      cutAll();
      isFrozen = false;
    },
    async [Symbol.asyncDispose]() {
      cutAll();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** A store whose connections can be cut or frozen. */
export interface ProxiedStore extends AsyncDisposable {
  database: Database;
  proxy: PostgresProxy;
  store: Store;
}

export async function openProxiedStore(metrics?: Registry): Promise<ProxiedStore> {
  const database = await makeDatabase();
  const proxy = await openProxy(sharedServer.port);
  const store = await openPostgresStore({ address: proxy.address(database.name), metrics });
  return {
    database,
    proxy,
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await proxy[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
