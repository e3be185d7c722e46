import type { Duplex } from 'node:stream';
import {
  Client,
  DatabaseError,
  type ClientConfig,
  type Notification,
  type QueryConfig,
  type QueryResultRow,
} from 'pg';
import findInPassFile from 'pgpass';
import { OperatorError } from '../error.ts';
import type { PostgresAddress } from './address.ts';

/** A statement by name, so that a session parses and plans it once. */
export interface Statement {
  name: string;
  text: string;
}

export type Values = readonly (string | number | null | readonly (string | number | null)[])[];

/** One session. Once it has failed it is useless: `isOpen` turns false and `onLost` is called, once. */
export interface Connection {
  readonly isOpen: boolean;
  /** Fails with a `DatabaseError` only when the statement failed alone and the session lives on. */
  query<Row extends QueryResultRow>(statement: Statement | string, values?: Values): Promise<Row[]>;
  /** Waits for what is on its way, though not for ever, then says goodbye. */
  close(): Promise<void>;
  /** Ends it at once; whatever is on its way fails. */
  destroy(): void;
}

export interface ConnectionOptions {
  address: PostgresAddress;
  /** Several statements may be on their way at once. */
  pipeline?: boolean;
  /** A statement fails when the server adds a warning to its success. Not for pipelined sessions. */
  refuseWarnings?: boolean;
  /** Run before the connection is handed over; when it fails, there is no connection. */
  prepare?: (connection: Connection) => Promise<void>;
  onLost?: (error: unknown) => void;
  onNotification?: (notification: Notification) => void;
  timeouts?: Timeouts;
}

/**
 * A request waits at most for a place in the queue, a connection and its statement; the sum stays below
 * the ten seconds after which the service closes a silent connection. The server's timeouts come first,
 * because a statement that the server has cancelled is known to be undone.
 */
export interface Timeouts {
  lockMs: number;
  statementMs: number;
}

const defaultTimeouts: Timeouts = { lockMs: 2000, statementMs: 3000 };
/** How much longer than the server's own timeout its answer is waited for. */
const graceMs = 1000;

/** How long a session that has reported an error may take to show that it lives on. */
const signOfLifeMs = 1000;
const keepAliveAfterMs = 5000;
const goodbyeMs = 5000;

/** Connects to the first host that takes us and, where that is asked for, can be written. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  let failure: unknown;
  for (const host of options.address.hosts) {
    try {
      return await openAt(host, options);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function openAt(
  host: PostgresAddress['hosts'][number],
  options: ConnectionOptions,
): Promise<Connection> {
  const { address } = options;
  const connect = (ssl: ClientConfig['ssl']) =>
    start({ ...configOf(host, options), ssl: ssl ?? false }, options);
  if (address.sslMode === 'disable' || host.host.startsWith('/')) return connect(false);
  try {
    return await connect(sslOf(address));
  } catch (error) {
    if (address.sslMode === 'prefer' && !hasCode(error)) return connect(false);
    throw error;
  }
}

/** Errors of the server, of the network and of TLS carry a code; that the server speaks no TLS does not. */
function hasCode(error: unknown): boolean {
  return (error as { code?: unknown }).code !== undefined;
}

async function start(config: ClientConfig, options: ConnectionOptions): Promise<Connection> {
  const client = new Client(config);
  // An attempt that fails is reported by its promise; only a connection that was handed over can be lost.
  let isHandedOver = false;
  const connection = wrap(client, {
    ...options,
    onLost: (error) => isHandedOver && options.onLost?.(error),
  });
  try {
    await client.connect();
    await refuseStandby(connection, options.address);
    await hearWarnings(connection, options.address);
    await options.prepare?.(connection);
    isHandedOver = true;
    return connection;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

function wrap(client: Client, options: ConnectionOptions): Connection {
  const { address, refuseWarnings = false, onLost, onNotification } = options;
  let isOpen = true;
  let warnings = 0;
  const onTheirWay = new Set<Promise<unknown>>();
  const lose = (error: unknown): void => {
    if (!isOpen) return;
    isOpen = false;
    onLost?.(error);
  };
  const destroy = (): void => {
    lose(new Error('The connection was given up.'));
    (client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
  };
  // Without a listener the driver's errors would end the process.
  client.on('error', lose);
  client.on('end', () => lose(new Error('The connection has ended.')));
  // Class 00 is success: a mere notice. The word for the severity is translated, so it cannot tell.
  client.on('notice', ({ code }) => {
    if (!code?.startsWith('00')) warnings += 1;
  });
  if (onNotification) client.on('notification', onNotification);

  return {
    get isOpen() {
      return isOpen;
    },
    async query<Row extends QueryResultRow>(statement: Statement | string, values: Values = []) {
      const { text, name } = typeof statement === 'string' ? { text: statement } : statement;
      const warningsBefore = warnings;
      const query = { text, values: [...values], ...(address.ownsSession && name !== undefined && { name }) };
      const response = ask<Row>(client, query, destroy);
      onTheirWay.add(response);
      try {
        const rows = await response;
        // Such as a commit whose wait for the synchronous standby was cancelled: committed here, and only here.
        if (refuseWarnings && warnings > warningsBefore) {
          destroy();
          throw new Error('The server warned.');
        }
        return rows;
      } finally {
        onTheirWay.delete(response);
      }
    },
    async close() {
      isOpen = false;
      const patience = setTimeout(destroy, goodbyeMs);
      // Unless they are pipelined, the driver's goodbye would cut them off.
      await Promise.allSettled(onTheirWay);
      await client.end().catch(() => {});
      clearTimeout(patience);
    },
    destroy,
  };
}

/**
 * After an error that ends the session the server never gets ready again, so one more response proves that the error
 * was the statement's alone. The severity would say so, too, but the driver gives only its translation.
 */
async function ask<Row extends QueryResultRow>(
  client: Client,
  query: QueryConfig,
  destroy: () => void,
): Promise<Row[]> {
  try {
    return (await client.query<Row>(query)).rows;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const patience = setTimeout(destroy, signOfLifeMs);
    const isAlive = await client.query('').then(
      () => true,
      () => false,
    );
    clearTimeout(patience);
    throw isAlive ? error : new Error('The server ended the session.', { cause: error });
  }
}

/** A commit may be warned about, and the role may have been spared warnings. */
async function hearWarnings(connection: Connection, { ownsSession }: PostgresAddress): Promise<void> {
  try {
    if (ownsSession) {
      await connection.query('SET client_min_messages = warning');
      return;
    }
    const [session] = await connection.query<{ client_min_messages: string }>('SHOW client_min_messages');
    if (!silentLevels.includes(session?.client_min_messages ?? '')) return;
  } catch (error) {
    // An engine that does not know the setting has nothing to keep to itself.
    if (error instanceof DatabaseError) return;
    throw error;
  }
  throw new OperatorError(
    'The role hears no warnings of the server, so a commit without its standby would pass for a safe one. ' +
      "Run ALTER ROLE petstore SET client_min_messages = 'warning', with the name of your role.",
  );
}

const silentLevels = ['error', 'fatal', 'panic'];

/** A standby lags: whoever reads there may miss what was acknowledged. */
async function refuseStandby(connection: Connection, { mustBeWritable }: PostgresAddress): Promise<void> {
  const [session] = await connection.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (session?.transaction_read_only !== 'on') return;
  if (mustBeWritable) throw new Error('The server is read-only.');
  const [server] = await connection.query<{ is_standby: boolean }>(
    'SELECT pg_is_in_recovery() AS is_standby',
  );
  if (server?.is_standby) throw new Error('The server is a standby.');
}

function configOf(
  { host, port }: PostgresAddress['hosts'][number],
  { address, pipeline = false, timeouts = defaultTimeouts }: ConnectionOptions,
): ClientConfig & { pipeline: boolean } {
  const { user, database, password } = address;
  return {
    // All are given, because the driver would look up in the environment what is not.
    host,
    port,
    user,
    database,
    password: password ?? passwordFromFile,
    ...(address.options !== undefined && { options: address.options }),
    application_name: address.applicationName,
    connectionTimeoutMillis: address.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    query_timeout: timeouts.statementMs + graceMs,
    pipeline,
    // pgbouncer refuses to start a session with settings that it does not know.
    ...(address.ownsSession && { statement_timeout: timeouts.statementMs, lock_timeout: timeouts.lockMs }),
  };
}

function passwordFromFile(info?: unknown): Promise<string> {
  return new Promise((resolve) => {
    findInPassFile(info as Parameters<typeof findInPassFile>[0], (password) => resolve(password ?? ''));
  });
}

/** libpq's meaning of the modes: only `verify-…`, or a given authority, proves who the server is. */
function sslOf({ sslMode, sslFiles }: PostgresAddress): ClientConfig['ssl'] {
  const verifies = sslMode.startsWith('verify-') || (sslMode === 'require' && sslFiles.ca !== undefined);
  return {
    ...sslFiles,
    rejectUnauthorized: verifies,
    ...(sslMode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}
