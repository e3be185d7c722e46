import { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { Client, type ClientConfig, DatabaseError, type QueryResultRow } from 'pg';
import findInPassFile from 'pgpass';
import type { PostgresAddress } from './address.ts';

/** The session ended, or fell silent, before a statement got its response. */
export class SessionLostError extends Error {
  override readonly name = 'SessionLostError';

  constructor(cause: unknown) {
    super('The session was lost.', { cause });
  }
}

/** A session parses and plans a named statement once, and one without a name each time. */
export interface Statement {
  name?: string;
  text: string;
}

export type Value = string | number | boolean | null;
export type Values = readonly (Value | readonly Value[])[];

/**
 * Sends a statement after the previous ones without waiting for their responses. Fails with the server's
 * `DatabaseError`, or with a `SessionLostError` if there was no response.
 */
export type Query = <Row extends QueryResultRow>(
  statement: Statement | string,
  values?: Values,
) => Promise<Row[]>;

/** One session. After a failure it is useless: `isOpen` turns false, and `onLost` is called once. */
export interface Session {
  readonly server: Server;
  /** The process that serves the session. */
  readonly pid: number;
  readonly isOpen: boolean;
  /** How many warnings the server has sent. */
  readonly warnings: number;
  query: Query;
  /** Waits briefly for running statements, then ends the session. */
  close(): Promise<void>;
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

export interface SessionOptions {
  address: PostgresAddress;
  timeouts?: Timeouts;
  /** Additional settings, such as {@link keepPlans}. */
  settings?: readonly string[];
  onLost?: () => void;
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
  /** What was lost after this time is not repeated, because its caller is about to give up. */
  retryMs: 1000,
  /** Until a session has room. */
  sessionMs: 3000,
  connectMs: 2000,
  /** For COMMIT, and before that for the statements that travel with it. After that, the outcome is unknown. */
  commitMs: 3000,
} as const;

export const servingTimeouts: Timeouts = { lockMs: 2000, statementMs: 3000, silenceMs: 4000 };

/**
 * Statements that serve requests find their rows by an index, in its order, whatever the values are. So a session keeps
 * one plan for each; by default, PostgreSQL plans them for every call, which takes longer than running them.
 */
export const keepPlans = [
  'plan_cache_mode=force_generic_plan',
  // A kept plan may predate most pets, so exclude plans that pay off only in small tables.
  ...['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off'],
  // The server overestimates a page as a tenth of the table, and would compile every page of a large one.
  'jit=off',
];

const closeMs = 5000;
/** The complete reply of a server without TLS to an SSL request; anything else is an error. */
const speaksNoTls = Buffer.from('N');

/** Opens a session on the address's primary. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { address } = options;
  const withoutTls = () => start(new Socket(), options, false);
  if (address.sslMode === 'disable' || address.host.startsWith('/')) return withoutTls();
  const socket = new Socket();
  let isTlsRefused = false;
  socket.once('data', (firstBytes: Buffer) => {
    isTlsRefused = firstBytes.equals(speaksNoTls);
  });
  try {
    return await start(socket, options, sslConfig(address));
  } catch (error) {
    // Fall back only if the server itself said so before any login: after other failures, the password is never sent in
    // the clear.
    if (address.sslMode === 'prefer' && isTlsRefused) return withoutTls();
    throw error;
  }
}

/** What a new session asks first. `pid` is the process that serves it, until a pgbouncer gives it to others. */
type SessionRow = Server & { pid: number; isStandby: boolean };

/** Takes the timeline from the current log file's name: the last checkpoint's is outdated after a promotion. */
const selectSession = `
  SELECT pg_is_in_recovery() AS "isStandby",
    (SELECT system_identifier::text FROM pg_control_system()) AS system,
    CASE WHEN pg_is_in_recovery() THEN 0
      ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer END AS timeline,
    extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt",
    pg_backend_pid() AS pid`;

async function start(
  socket: Socket,
  options: SessionOptions,
  ssl: ConnectionOptions | false,
): Promise<Session> {
  const { address, onLost } = options;
  // The driver connects the socket and adds TLS, but ending it is up to us.
  const client = new Client({ ...driverConfig(options), ssl, stream: () => socket });
  let isOpen = false;
  let warnings = 0;
  const lose = (): void => {
    // A session that never opened reports its failure through the promise of `start` alone.
    const wasOpen = isOpen;
    isOpen = false;
    if (wasOpen) onLost?.();
  };
  const destroy = (reason?: Error): void => {
    lose();
    socket.destroy(reason);
  };
  // Without a listener, the driver's errors would end the process.
  client.on('error', lose);
  client.on('end', lose);
  // Class 00 is success, so only a notice. The severity is translated and cannot be compared.
  client.on('notice', ({ code }) => {
    if (!code?.startsWith('00')) warnings += 1;
  });

  const query: Query = async <Row extends QueryResultRow>(
    statement: Statement | string,
    values: Values = [],
  ) => {
    const { text, name }: Statement = typeof statement === 'string' ? { text: statement } : statement;
    const usesName = name !== undefined && !address.isPgbouncer;
    // Send the statements of one turn in one packet.
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    try {
      return (await client.query<Row>({ text, values: values.map(encode), ...(usesName && { name }) })).rows;
    } catch (error) {
      throw error instanceof DatabaseError ? error : new SessionLostError(error);
    }
  };

  const tooLate = new Error('The server did not respond in time.');
  const timer = setTimeout(() => destroy(tooLate), address.connectTimeoutMs);
  try {
    await client.connect();
    const [row] = await query<SessionRow>(selectSession);
    if (!row) throw new Error('The server does not identify itself.');
    const { pid, isStandby, ...server } = row;
    // A standby lags behind.
    if (isStandby) throw new Error('The server is a standby.');
    isOpen = true;
    return {
      server,
      pid,
      get isOpen() {
        return isOpen;
      },
      get warnings() {
        return warnings;
      },
      query,
      async close() {
        isOpen = false;
        const closing = setTimeout(destroy, closeMs);
        await client.end().catch(() => {});
        clearTimeout(closing);
      },
      destroy: () => destroy(),
    };
  } catch (error) {
    destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A list as the text of a PostgreSQL array. It is JSON in other brackets, unless a character is escaped in a way that
 * only JSON knows. The driver's own encoding, good for all lists, takes three times as long.
 */
function encode(value: Values[number]): unknown {
  if (!Array.isArray(value)) return value;
  const json = JSON.stringify(value);
  return /\\[bfnrtu]/.test(json) ? value : `{${json.slice(1, -1)}}`;
}

const keepAliveAfterMs = 5000;

/** The settings of every session. */
const sessionSettings = ({ lockMs, statementMs }: Timeouts): string[] => [
  `lock_timeout=${lockMs}`,
  `statement_timeout=${statementMs}`,
  // A transaction must not hold its locks for hours if its replica vanishes.
  'idle_in_transaction_session_timeout=10000',
  // A role may have warnings switched off, but a COMMIT can report a problem as a warning.
  'client_min_messages=warning',
];

function driverConfig(options: SessionOptions): ClientConfig {
  const { address, timeouts = servingTimeouts, settings = [] } = options;
  const { host, port, user, database, password } = address;
  // pgbouncer refuses to start a session with settings that it does not know.
  const ours = address.isPgbouncer ? [] : [...sessionSettings(timeouts), ...settings];
  return {
    // Pass all of them: the driver takes missing ones from the environment.
    ...{ host, port, user, database },
    password: password ?? passwordFromFile,
    options: [address.options ?? '', ...ours.map((setting) => `-c ${setting}`)].join(' ').trim(),
    application_name: address.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    query_timeout: timeouts.silenceMs,
    pipeline: true,
  };
}

/** The modes as libpq defines them: only `verify-…`, or a given authority, proves the server's identity. */
function sslConfig({ sslMode, sslFiles }: PostgresAddress): ConnectionOptions {
  const verifies = sslMode.startsWith('verify-') || (sslMode === 'require' && sslFiles.ca !== undefined);
  return {
    ...sslFiles,
    rejectUnauthorized: verifies,
    ...(sslMode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

function passwordFromFile(info?: unknown): Promise<string> {
  return new Promise((resolve) => {
    findInPassFile(info, (password) => resolve(password ?? ''));
  });
}
