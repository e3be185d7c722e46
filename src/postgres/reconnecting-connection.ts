import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import { storeClosing, unavailable } from '../domain/error.ts';
import { createBoundedQueue, type Queued } from './bounded-queue.ts';
import { spoilsConnection, wasUndone, within } from './errors.ts';
import type { Connection, Statement, Values } from './session/connection.ts';

/** A connection that replaces itself: opened when it is first needed, given up when it fails. */
export interface ReconnectingConnection {
  /** Statements that wait or are under way. */
  readonly load: number;
  /** Fails with a `PetstoreError` when the statement was never sent, otherwise with the driver's own error. */
  run<Row extends QueryResultRow>(statement: Statement, values: Values): Promise<Row[]>;
  close(): Promise<void>;
}

export interface ReconnectingOptions {
  connect: (onLost: () => void) => Promise<Connection>;
  /** Statements under way at once. */
  maxInFlight: number;
  /** For writes: whether the process of a session is gone. Without this, a session that does not respond is ended. */
  isGone?: (backend: NonNullable<Connection['backend']>) => Promise<boolean>;
}

const maxWaitMs = 3000;
/** Whoever waits longer for a connection is refused; the next one may still get it. */
const maxConnectMs = 2000;
/** A server that has just refused us is left alone for this long; requests meanwhile get the same error. */
const pauseAfterFailureMs = 100;
/** How long the next write waits for the server to say whether the earlier one is still under way. */
const checkMs = 250;
/** Behind a pgbouncer nobody can tell which process serves a session; then this long must do. */
const maxBlindMs = 60_000;

interface Call {
  statement: Statement;
  values: Values;
}

export function createReconnectingConnection(options: ReconnectingOptions): ReconnectingConnection {
  const { connect, maxInFlight, isGone } = options;
  const queue = createBoundedQueue<Call, never[]>(maxWaitMs);
  let inFlight = 0;
  let isClosed = false;
  let current: Promise<Connection> | undefined;
  /**
   * The session of a write that got no response, for as long as the server may still work on it: a commit may wait for
   * its standby for ever. Meanwhile nothing is sent, so a standby that hangs costs the server one session and not one
   * for every write that gives up.
   */
  let silent: { connection: Connection; isOver: Promise<void>; checking?: Promise<void> } | undefined;

  const forget = (connection: Promise<Connection>): void => {
    if (current === connection) current = undefined;
  };

  const open = (): Promise<Connection> => {
    const opening: Promise<Connection> = connect(() => forget(opening)).catch((error: unknown) => {
      setTimeout(() => forget(opening), pauseAfterFailureMs);
      throw unavailable(error);
    });
    return opening;
  };

  const perform = async ({ request, resolve, reject }: Queued<Call, never[]>): Promise<void> => {
    inFlight += 1;
    const opening = (current ??= open());
    let connection: Connection | undefined;
    try {
      connection = await within(maxConnectMs, opening);
      resolve(await connection.query(request.statement, request.values));
    } catch (error) {
      if (connection && spoilsConnection(error)) {
        forget(opening);
        if (isGone && !silent && connection.isOpen && !wasUndone(error)) {
          keep(connection);
          // Those who wait would wait as long, and each leave a session behind.
          for (const waiting of queue.take(() => true)) waiting.reject(unavailable(error));
        } else connection.destroy();
      }
      reject(error);
    } finally {
      inFlight -= 1;
      sendNext();
    }
  };

  const keep = (connection: Connection): void => {
    const timer = connection.backend ? undefined : setTimeout(() => connection.destroy(), maxBlindMs).unref();
    const isOver = connection.settle().then(() => {
      clearTimeout(timer);
      connection.destroy();
      silent = undefined;
    });
    silent = { connection, isOver };
  };

  /** The connection may have been cut in silence, and its process with it. */
  const endIfGone = async (connection: Connection): Promise<void> => {
    const { backend } = connection;
    if (backend && (await isGone?.(backend).catch(() => false))) connection.destroy();
  };

  /** Asks the server before it refuses. */
  const refuseWhileSilent = async (kept: NonNullable<typeof silent>): Promise<void> => {
    kept.checking ??= endIfGone(kept.connection).finally(() => delete kept.checking);
    await Promise.race([kept.isOver, sleep(checkMs)]);
    if (silent) throw unavailable(new Error('An earlier write is still under way.'));
  };

  const sendNext = (): void => {
    const free = maxInFlight - inFlight;
    for (const next of queue.take((_, index) => index < free)) void perform(next);
  };

  return {
    get load() {
      return inFlight + queue.length;
    },
    async run(statement, values) {
      if (isClosed) throw storeClosing();
      if (silent) await refuseWhileSilent(silent);
      const rows = queue.add({ statement, values });
      sendNext();
      return rows;
    },
    async close() {
      isClosed = true;
      silent?.connection.destroy();
      const connection = await current?.catch(() => undefined);
      await connection?.close();
    },
  };
}
