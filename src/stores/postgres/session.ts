import type { Socket } from 'node:net';
import { type Client, type ClientConfig, DatabaseError, type QueryConfig, type QueryResultRow } from 'pg';
import { OperatorError } from '../../domain/error.ts';
import type { PostgresAddress } from './address.ts';
import { SessionLostError } from './errors.ts';

/** A session parses and plans a named statement once, and one without a name each time. */
export type Prepared = Pick<QueryConfig, 'name' | 'text'>;

type Parameter = string | number | boolean | null;
export type ParameterList = readonly (Parameter | readonly Parameter[])[];

/**
 * Sends a statement after the previous ones without waiting for their responses. Fails with the server's
 * `DatabaseError`, or with a `SessionLostError` if there was no response.
 */
export type Send = <Row extends QueryResultRow>(
  statement: Prepared | string,
  values?: ParameterList,
) => Promise<Row[]>;

export interface Session {
  readonly server: Server;
  /** The number of warnings so far, without those of code in the database. */
  readonly warnings: number;
  /** Resolves when the session has ended, for whatever reason. */
  readonly ended: Promise<void>;
  send: Send;
  /** Ends the session at once; running statements fail. */
  destroy(): void;
}

/** Identifies a server, whatever the route to it: two servers never agree in all three fields. */
export interface Server {
  /** The identifier from `initdb`; a standby shares it with its primary. */
  system: string;
  /** Grows with every promotion. */
  timeline: number;
  /** Distinguishes two servers that were promoted or copied from one origin. */
  startedAt: string;
}

/** In milliseconds; 0 means no limit. */
export interface Timeouts {
  /** The server's own limits are shorter: what the server cancels is known to be undone. */
  lockMs: number;
  statementMs: number;
  /** A session is ended if a read, or a transaction before its COMMIT, takes this long. */
  silenceMs: number;
}

/** How long each step of a request may take. */
export const limits = {
  /** Until its batch begins. */
  queueMs: 2500,
  /** After this time, lost work is not repeated, because its caller is about to give up. */
  retryMs: 1000,
  /** Until a session is free or connected, and then until a new one has begun. */
  sessionMs: 3000,
  /** For COMMIT, and before that for the statements that travel with it. After that, the outcome is unknown. */
  commitMs: 3000,
} as const;

export const servingTimeouts: Timeouts = { lockMs: 2000, statementMs: 3000, silenceMs: 4000 };

export type Settings = Record<string, string | number>;

/**
 * Statements that serve requests find their rows by an index, in its order, whatever the values are. So a session keeps
 * one plan for each; by default, PostgreSQL plans them for every call, which takes longer than running them.
 */
export const keepPlans: Settings = {
  plan_cache_mode: 'force_generic_plan',
  // A kept plan may predate most pets, so exclude plans that pay off only in small tables.
  ...{ enable_seqscan: 'off', enable_bitmapscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' },
  // The server overestimates a page as a tenth of the table, and would compile every page of a large one.
  jit: 'off',
};

export interface SessionOptions {
  address: PostgresAddress;
  timeouts: Timeouts;
  /** Additional settings, such as {@link keepPlans}. */
  settings?: Settings;
}

const keepAliveAfterMs = 5000;

/** If the address has no password or options, the driver takes them from PGPASSWORD and PGOPTIONS. */
export function driverConfig({ address, timeouts }: SessionOptions): ClientConfig {
  return {
    ...address,
    sslnegotiation: 'postgres',
    client_encoding: 'UTF8',
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    query_timeout: timeouts.silenceMs,
    pipeline: true,
  };
}

type SessionRow = Server & { isStandby: boolean; schemas: string[] | null };

/**
 * What a new session asks and sets, in one statement after its start: a pgbouncer refuses settings at the start.
 *
 * - The timeline comes from the current log file's name: the last checkpoint's is outdated after a promotion.
 * - The session looks once along its own path for the store, then pins its schema: a schema that somebody later puts
 *   before it cannot replace a table.
 */
function beginStatement({ lockMs, statementMs }: Timeouts, settings: Settings): string {
  const all: Settings = {
    lock_timeout: lockMs,
    statement_timeout: statementMs,
    // A transaction must not hold its locks for hours if its replica vanishes.
    idle_in_transaction_session_timeout: 10_000,
    // A role may have warnings switched off, but a COMMIT can report a problem as a warning.
    client_min_messages: 'warning',
    ...settings,
  };
  const sets = Object.entries(all).map(
    ([name, value]) => `pg_catalog.set_config('${name}', '${value}', false)`,
  );
  return `
    SELECT pg_is_in_recovery() AS "isStandby",
      (SELECT system_identifier::text FROM pg_control_system()) AS system,
      CASE WHEN pg_is_in_recovery() THEN 0
        ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer END AS timeline,
      extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt",
      schemas,
      pg_catalog.set_config('search_path', quote_ident(coalesce(schemas[1], current_schema()::text, '')), false),
      ${sets.join(', ')}
    FROM (
      SELECT array_agg(nspname::text ORDER BY nspname) AS schemas
      FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
      WHERE relname = 'petstore_schema' AND nspname = ANY (current_schemas(false))
    ) AS stores`;
}

export async function beginSession(
  client: Client,
  { address, timeouts, settings = {} }: SessionOptions,
): Promise<Session> {
  const socket = client.connection.stream as Socket;
  const destroy = (): void => void socket.destroy();
  let warnings = 0;
  // Without a listener, the driver's errors would end the process while the session is in use.
  client.on('error', () => {});
  const ended = new Promise<void>((resolve) => client.on('end', resolve));
  // Class 00 is success, so only a notice. The severity is translated and cannot be compared. A warning from code in the
  // database, such as a trigger, has a context and says nothing about a COMMIT.
  client.on('notice', ({ code, where }) => {
    if (where === undefined && !code?.startsWith('00')) warnings += 1;
  });
  try {
    const begin = {
      text: beginStatement(timeouts, settings),
      query_timeout: address.connectionTimeoutMillis,
    };
    const [row] = (await client.query<SessionRow>(begin)).rows;
    if (!row) throw new Error('The server does not identify itself.');
    const { isStandby, schemas, system, timeline, startedAt } = row;
    // A standby lags behind.
    if (isStandby) throw new Error('The server is a standby.');
    if (schemas && schemas.length > 1) throw severalStores(schemas);
    return {
      server: { system, timeline, startedAt },
      get warnings() {
        return warnings;
      },
      ended,
      send: createSend(client, socket),
      destroy,
    };
  } catch (error) {
    destroy();
    throw error;
  }
}

function severalStores(schemas: string[]): OperatorError {
  return new OperatorError(
    `The search path of this role has ${schemas.length} stores, in the schemas ${schemas.join(' and ')}.`,
    'Find out who made them, and name the right one in the address: ?options=-csearch_path%3DSCHEMA.',
  );
}

function createSend(client: Client, socket: Socket): Send {
  return async <Row extends QueryResultRow>(statement: Prepared | string, values: ParameterList = []) => {
    const prepared: Prepared = typeof statement === 'string' ? { text: statement } : statement;
    // Send the statements of one turn in one packet.
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    try {
      return (await client.query<Row>({ ...prepared, values: values.map(encodeArray) })).rows;
    } catch (error) {
      throw error instanceof DatabaseError ? error : new SessionLostError(error);
    }
  };
}

/**
 * A list as the text of a PostgreSQL array. It is JSON in other brackets, unless a character is escaped in a way that
 * only JSON knows. The driver's own encoding handles every list, but takes three times as long.
 */
function encodeArray(value: ParameterList[number]): unknown {
  if (!Array.isArray(value)) return value;
  const json = JSON.stringify(value);
  return /\\[bfnrtu]/.test(json) ? value : `{${json.slice(1, -1)}}`;
}
