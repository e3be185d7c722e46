import type { QueryResultRow } from 'pg';
import { PetstoreError } from '../domain/error.ts';
import { createBoundedQueue, type Queued } from './bounded-queue.ts';
import { spoilsConnection, unavailable, wasUndone, within } from './errors.ts';
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
  /**
   * Takes over a session that has not responded in time and may still do so; whatever waits for it is refused. Without
   * this, the session is ended.
   */
  onSilent?: (connection: Connection) => void;
}

const maxWaitMs = 3000;
/** Whoever waits longer for a connection is refused; the next one may still get it. */
const maxConnectMs = 2000;
/** A server that has just refused us is left alone for this long; requests meanwhile get the same error. */
const pauseAfterFailureMs = 100;

interface Call {
  statement: Statement;
  values: Values;
}

export function createReconnectingConnection(options: ReconnectingOptions): ReconnectingConnection {
  const { connect, maxInFlight, onSilent } = options;
  const queue = createBoundedQueue<Call, never[]>(maxWaitMs);
  let inFlight = 0;
  let isClosed = false;
  let current: Promise<Connection> | undefined;

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
        if (onSilent && connection.isOpen && !wasUndone(error)) {
          onSilent(connection);
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

  const sendNext = (): void => {
    const free = maxInFlight - inFlight;
    for (const next of queue.take((_, index) => index < free)) void perform(next);
  };

  return {
    get load() {
      return inFlight + queue.length;
    },
    async run(statement, values) {
      if (isClosed) throw new PetstoreError('unavailable', 'The store is closing.');
      const rows = queue.add({ statement, values });
      sendNext();
      return rows;
    },
    async close() {
      isClosed = true;
      const connection = await current?.catch(() => undefined);
      await connection?.close();
    },
  };
}
