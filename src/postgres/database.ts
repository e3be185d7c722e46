import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import { PetstoreError } from '../domain/error.ts';
import type { Counter } from '../metrics/registry.ts';
import type { PostgresAddress } from './address.ts';
import { isIdTaken, isRetryable, outcomeUnknown, translateError, wasUndone } from './errors.ts';
import type { Connection, Statement, Values } from './session/connection.ts';
import type { SessionGroup } from './session/group.ts';
import { createReconnectingConnection, type ReconnectingConnection } from './reconnecting-connection.ts';

/** The connections of this process to the database, and what a failure of each kind of statement means. */
export interface Database {
  /** Runs a statement that changes nothing; once more when the connection was lost on the way. */
  read<Row extends QueryResultRow>(statement: Statement, values?: Values): Promise<Row[]>;
  /** Runs such a statement on every connection that serves reads. */
  readEverywhere<Row extends QueryResultRow>(statement: Statement, values?: Values): Promise<Row[][]>;
  /** Runs a read that may take long, one at a time, on a session of its own, which is opened for the first one. */
  search: Database['read'];
  /**
   * Runs one statement that is a transaction of its own, one at a time. It is repeated only when the server
   * has said that it was undone for another's sake; when its outcome is unknown, the error says so.
   */
  write<Row extends QueryResultRow>(statement: Statement, values?: Values): Promise<Row[]>;
  /** The same on another connection than the creates: neither waits for the other. */
  writeBeside<Row extends QueryResultRow>(statement: Statement, values?: Values): Promise<Row[]>;
  close(): Promise<void>;
}

/**
 * Reads share few connections and are sent without waiting for the responses before them. Past this many the rest waits
 * here, where it can still be refused, and not in the socket.
 */
const maxReadsInFlight = 32;
const maxAttempts = 10;
/** A read that has taken this long is not tried again: its caller is about to give up. */
const retryWithinMs = 1000;

/** The time of its start tells a process from a later one with the same number. */
const selectBackend = {
  name: 'select-backend',
  text: 'SELECT 1 AS found FROM pg_stat_get_activity($1::integer) WHERE backend_start::text = $2',
};

/**
 * The statements that serve requests find their rows by an index, in its order, whatever the values are. So a session
 * keeps one plan for each; by default PostgreSQL plans them again for every call, which takes longer than running them.
 */
const settings = {
  plan_cache_mode: 'force_generic_plan',
  // A kept plan may be older than the pets, so plans that pay off only in small tables are ruled out.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // The server takes a page for a tenth of the table, and would compile every page of a large one.
  jit: 'off',
};

export function openDatabase(
  address: PostgresAddress,
  group: SessionGroup,
  unknownOutcomes?: Counter,
): Database {
  const session = address.ownsSession ? { prepare: prepareSession } : {};
  const readers = Array.from({ length: address.connectionLimit - 2 }, () =>
    createReconnectingConnection({
      connect: (onLost) => group.open({ ...session, onLost, pipeline: address.ownsSession }),
      maxInFlight: address.ownsSession ? maxReadsInFlight : 1,
    }),
  );

  const readOn =
    (pick: () => ReconnectingConnection): Database['read'] =>
    async (statement, values = []) => {
      const startedAt = performance.now();
      for (let attempt = 1; ; attempt++) {
        try {
          return await group.run(() => pick().run(statement, values));
        } catch (error) {
          const isLost = !(error instanceof PetstoreError) && !wasUndone(error);
          const mayRetry = isRetryable(error) ? attempt < maxAttempts : isLost && attempt === 1;
          if (!mayRetry || performance.now() - startedAt > retryWithinMs) throw translateError(error);
        }
      }
    };
  const read = readOn(() => leastLoaded(readers));

  // Its statements read many rows, so they are planned for their values, and with every kind of plan.
  const searcher = createReconnectingConnection({
    connect: (onLost) => group.open({ onLost }),
    maxInFlight: 1,
  });

  const createWriter = (): ReconnectingConnection =>
    createReconnectingConnection({
      connect: (onLost) => group.open({ ...session, onLost, refuseWarnings: true }),
      maxInFlight: 1,
      isGone: async ({ pid, startedAt }) => (await read(selectBackend, [pid, startedAt])).length === 0,
    });
  const [writer, writerBeside] = [createWriter(), createWriter()];

  const writeOn =
    (connection: ReconnectingConnection): Database['write'] =>
    async (statement, values = []) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await group.run(() => connection.run(statement, values));
        } catch (error) {
          if (!(error instanceof PetstoreError) && !wasUndone(error)) {
            group.doubt();
            unknownOutcomes?.increment();
            throw outcomeUnknown(error, statement.advice);
          }
          const mayRetry = (isRetryable(error) || isIdTaken(error)) && attempt < maxAttempts;
          if (!mayRetry) throw translateError(error);
          // Two that collided must not collide again at the next attempt.
          await sleep(Math.random() * 5 * attempt);
        }
      }
    };

  return {
    read,
    readEverywhere: <Row extends QueryResultRow>(statement: Statement, values?: Values) =>
      Promise.all(readers.map((reader) => readOn(() => reader)<Row>(statement, values))),
    search: readOn(() => searcher),
    write: writeOn(writer),
    writeBeside: writeOn(writerBeside),
    async close() {
      await Promise.all([writer, writerBeside, searcher, ...readers].map((connection) => connection.close()));
    },
  };
}

async function prepareSession(connection: Connection): Promise<void> {
  const change = `
    SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS wanted (name, value)`;
  await connection.query(change, [Object.keys(settings), Object.values(settings)]);
}

function leastLoaded(connections: ReconnectingConnection[]): ReconnectingConnection {
  const chosen = connections.reduce((least, other) => (other.load < least.load ? other : least));
  // Connections that are equally busy take turns.
  connections.push(...connections.splice(connections.indexOf(chosen), 1));
  return chosen;
}
