import type { Duplex } from 'node:stream';
import { Client, type ClientConfig, type Notification, type QueryResultRow } from 'pg';
import findInPassFile from 'pgpass';
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
  query<Row extends QueryResultRow>(statement: Statement | string, values?: Values): Promise<Row[]>;
  /** Warnings of the server so far; a commit that was warned about is no clean commit. */
  readonly warnings: number;
  /** Waits for what is on its way, though not for ever, then says goodbye. */
  close(): Promise<void>;
  /** Ends it at once; whatever is on its way fails. */
  destroy(): void;
}

export interface ConnectionOptions {
  address: PostgresAddress;
  /** Several statements may be on their way at once. */
  pipeline?: boolean;
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
    const isPlain = error instanceof Error && error.message === 'The server does not support SSL connections';
    if (address.sslMode === 'prefer' && isPlain) return connect(false);
    throw error;
  }
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
    await options.prepare?.(connection);
    isHandedOver = true;
    return connection;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

function wrap(client: Client, { address, onLost, onNotification }: ConnectionOptions): Connection {
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
  client.on('notice', ({ severity }) => {
    if (severity === 'WARNING') warnings += 1;
  });
  if (onNotification) client.on('notification', onNotification);

  return {
    get isOpen() {
      return isOpen;
    },
    get warnings() {
      return warnings;
    },
    async query(statement, values = []) {
      const { text, name } = typeof statement === 'string' ? { text: statement } : statement;
      const answer = client.query({
        text,
        values: [...values],
        ...(address.ownsSession && name !== undefined && { name }),
      });
      onTheirWay.add(answer);
      try {
        return (await answer).rows;
      } finally {
        onTheirWay.delete(answer);
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
