import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import { PetstoreError } from '../error.ts';
import type { PostgresAddress } from './address.ts';
import { openConnection, type Statement, type Values } from './connection.ts';
import { isIdTaken, isRetryable, outcomeUnknown, translateError, wasUndone } from './errors.ts';
import { createLane, type Lane } from './lane.ts';
import { keepPlans } from './plans.ts';

/** The connections of this process to the database, and what a failure of each kind of statement means. */
export interface Database {
  /** Runs a statement that changes nothing; once more when the connection was lost on the way. */
  read<Row extends QueryResultRow>(statement: Statement, values?: Values): Promise<Row[]>;
  /**
   * Runs one statement that is a transaction of its own, one at a time. It is repeated only when the server
   * has said that it was undone for another's sake; when its outcome is unknown, the error says so.
   */
  write<Row extends QueryResultRow>(statement: Statement, values?: Values): Promise<Row[]>;
  close(): Promise<void>;
}

/**
 * Reads share few connections and are sent without waiting for the answers before them. Measured with 64
 * callers and pages of 20 on two cores: 10,000 pages/s on four pipelined connections, 8,700 on two, 7,200
 * on a pool of four or eight that waits for each answer. Past this many the rest waits here, where it can
 * still be shared, and not in the socket.
 */
const maxReadsInFlight = 32;
const maxAttempts = 10;
/** A read that has taken this long is not tried again: whoever asked is about to give up. */
const retryWithinMs = 1000;

export function openDatabase(address: PostgresAddress): Database {
  const session = { address, ...(address.ownsSession && { prepare: keepPlans }) };
  const renewAll = (): void => lanes.forEach((lane) => lane.renew());
  const readers = Array.from({ length: address.connectionLimit - 2 }, () =>
    createLane({
      connect: (onLost) => openConnection({ ...session, onLost, pipeline: address.ownsSession }),
      maxInFlight: address.ownsSession ? maxReadsInFlight : 1,
    }),
  );
  const writer = createLane({
    connect: (onLost) => openConnection({ ...session, onLost, refuseWarnings: true }),
    maxInFlight: 1,
    // A server that turned read-only is no primary any more, so its readers look for the new one, too.
    onReadOnly: renewAll,
  });
  const lanes = [writer, ...readers];

  return {
    async read(statement, values = []) {
      const startedAt = performance.now();
      for (let attempt = 1; ; attempt++) {
        try {
          return await leastLoaded(readers).run(statement, values);
        } catch (error) {
          const isLost = !(error instanceof PetstoreError) && !wasUndone(error);
          const mayRetry = isRetryable(error) ? attempt < maxAttempts : isLost && attempt === 1;
          if (!mayRetry || performance.now() - startedAt > retryWithinMs) throw translateError(error);
        }
      }
    },

    async write(statement, values = []) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await writer.run(statement, values);
        } catch (error) {
          if (!(error instanceof PetstoreError) && !wasUndone(error)) throw outcomeUnknown(error);
          const mayRetry = (isRetryable(error) || isIdTaken(error)) && attempt < maxAttempts;
          if (!mayRetry) throw translateError(error);
          // Whoever we collided with must not be met again at the next step.
          await sleep(Math.random() * 5 * attempt);
        }
      }
    },

    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

function leastLoaded(lanes: Lane[]): Lane {
  return lanes.reduce((least, lane) => (lane.load < least.load ? lane : least));
}
