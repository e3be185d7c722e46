import { Socket } from 'node:net';
import { Client, DatabaseError, type QueryResultRow } from 'pg';
import { SessionLostError } from '../errors.ts';
import { driverConfig, sslConfig, type DriverOptions } from './config.ts';
import { selectIntroduction, type Introduction, type Server } from './server.ts';

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

export interface SessionOptions extends DriverOptions {
  onLost?: () => void;
}

const closeMs = 5000;
/** The complete reply of a server without TLS to an SSL request; anything else is an error. */
const speaksNoTls = Buffer.from('N');

/** Opens a session on the address's primary. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { address } = options;
  const withoutTls = () => start(new Socket(), { ...options, ssl: false });
  if (address.sslMode === 'disable' || address.host.startsWith('/')) return withoutTls();
  const socket = new Socket();
  let isTlsRefused = false;
  socket.once('data', (firstBytes: Buffer) => {
    isTlsRefused = firstBytes.equals(speaksNoTls);
  });
  try {
    return await start(socket, { ...options, ssl: sslConfig(address) });
  } catch (error) {
    // Fall back only if the server itself said so before any login: after other failures, the password is never sent in
    // the clear.
    if (address.sslMode === 'prefer' && isTlsRefused) return withoutTls();
    throw error;
  }
}

interface StartOptions extends SessionOptions {
  /** Required: the driver would take a missing value from the environment. */
  ssl: ReturnType<typeof sslConfig> | false;
}

async function start(socket: Socket, options: StartOptions): Promise<Session> {
  const { address, ssl, onLost } = options;
  // The driver connects the socket and adds TLS, but ending it is up to us.
  const client = new Client({ ...driverConfig(options), ssl, stream: () => socket });
  let state: 'opening' | 'open' | 'lost' = 'opening';
  let warnings = 0;
  const lose = (): void => {
    // A session that never opened reports its failure through the promise of `start` alone.
    const wasOpen = state === 'open';
    state = 'lost';
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
    const [introduction] = await query<Introduction>(selectIntroduction);
    if (!introduction) throw new Error('The server does not introduce itself.');
    const { pid, isStandby, ...server } = introduction;
    // A standby lags behind.
    if (isStandby) throw new Error('The server is a standby.');
    state = 'open';
    return {
      server,
      pid,
      get isOpen() {
        return state === 'open';
      },
      get warnings() {
        return warnings;
      },
      query,
      async close() {
        state = 'lost';
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
