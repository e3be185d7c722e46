import type { QueryResultRow } from 'pg';
import { PetstoreError } from '../../error.ts';
import { spoilsConnection, unavailable, wasUndone } from '../errors.ts';
import type { Connection, Statement, Values } from './connection.ts';
import { within } from './within.ts';

/** A connection that replaces itself: opened when it is first needed, given up when it fails. */
export interface Lane {
  /** Statements that wait or are on their way. */
  readonly load: number;
  /**
   * Fails with a `PetstoreError` when the statement was never sent, otherwise with the error as the driver
   * gave it.
   */
  run<Row extends QueryResultRow>(statement: Statement, values: Values): Promise<Row[]>;
  close(): Promise<void>;
}

export interface LaneOptions {
  connect: (onLost: () => void) => Promise<Connection>;
  /** Statements on their way at once. */
  maxInFlight: number;
  /**
   * Takes over a session that has not responded in time and may still do so, and whatever waits for it is refused; without
   * it, that session is ended.
   */
  onSilent?: (connection: Connection) => void;
}

const maxWaiting = 10_000;
const maxWaitMs = 3000;
/** Whoever waits for a connection longer is told so; the connection may still come about for the next one. */
const maxConnectMs = 2000;
/** A server that has just refused us is left alone for this long; who asks meanwhile gets the same answer. */
const pauseAfterFailureMs = 100;

interface Waiting {
  statement: Statement;
  values: Values;
  resolve: (rows: never[]) => void;
  reject: (error: unknown) => void;
  patience: Timer;
}

export function createLane(options: LaneOptions): Lane {
  const { connect, maxInFlight, onSilent } = options;
  const waiting: Waiting[] = [];
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

  const perform = async ({ statement, values, resolve, reject }: Waiting): Promise<void> => {
    inFlight += 1;
    const opening = (current ??= open());
    let connection: Connection | undefined;
    try {
      connection = await within(maxConnectMs, opening);
      resolve(await connection.query(statement, values));
    } catch (error) {
      if (connection && spoilsConnection(error)) {
        forget(opening);
        if (onSilent && connection.isOpen && !wasUndone(error)) {
          onSilent(connection);
          refuseWaiting(error);
        } else connection.destroy();
      }
      reject(error);
    } finally {
      inFlight -= 1;
      sendNext();
    }
  };

  const sendNext = (): void => {
    for (const next of waiting.splice(0, maxInFlight - inFlight)) {
      clearTimeout(next.patience);
      void perform(next);
    }
  };

  /** They would wait as long, and each leave a session behind. */
  const refuseWaiting = (cause: unknown): void => {
    for (const { patience, reject } of waiting.splice(0)) {
      clearTimeout(patience);
      reject(unavailable(cause));
    }
  };

  const giveUp = (item: Waiting): void => {
    waiting.splice(waiting.indexOf(item), 1);
    item.reject(unavailable(new Error(`No connection became free within ${maxWaitMs} ms.`)));
  };

  return {
    get load() {
      return inFlight + waiting.length;
    },
    run: (statement, values) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new PetstoreError('unavailable', 'The store is closing.'));
        if (waiting.length >= maxWaiting) {
          return reject(new PetstoreError('overloaded', 'Too many requests are waiting. Try again shortly.'));
        }
        const item: Waiting = {
          statement,
          values,
          resolve,
          reject,
          patience: setTimeout(() => giveUp(item), maxWaitMs),
        };
        waiting.push(item);
        sendNext();
      }),
    async close() {
      isClosed = true;
      const connection = await current?.catch(() => undefined);
      await connection?.close();
    },
  };
}
