import { Socket } from 'node:net';
import { Client, DatabaseError, type QueryConfig, type QueryResultRow } from 'pg';
import type { Host } from '../address.ts';
import { driverConfig, sslConfig, type DriverOptions } from './config.ts';
import { introduce, pickNewest, type Introduction } from './server.ts';

/** A statement by name, so that a session parses and plans it once. */
export interface Statement {
  name: string;
  text: string;
  /** For a write: what its caller should do when the outcome is unknown. */
  advice?: string;
}

type Value = string | number | boolean | null;
export type Values = readonly (Value | readonly Value[])[];

/** One session. Once it has failed it is useless: `isOpen` turns false and `onLost` is called, once. */
export interface Connection extends Introduction {
  readonly host: Host;
  readonly isOpen: boolean;
  /** Fails with a `DatabaseError` only when the statement failed alone and the session lives on. */
  query<Row extends QueryResultRow>(statement: Statement | string, values?: Values): Promise<Row[]>;
  /** Resolves when the server has responded to everything, or the session is gone. */
  settle(): Promise<void>;
  /** Waits a while for statements under way, then ends the session. */
  close(): Promise<void>;
  /** Ends the session at once; statements under way fail. */
  destroy(): void;
}

export interface ConnectionOptions extends DriverOptions {
  /** A statement fails when the server adds a warning to its success. Not for pipelined sessions. */
  refuseWarnings?: boolean;
  /** Run before the connection is handed over; when it fails, there is no connection. */
  prepare?: (connection: Connection) => Promise<void>;
  onLost?: (error: unknown) => void;
}

/** How long a session that has reported an error may take to show that it lives on. */
const signOfLifeMs = 1000;
const closeMs = 5000;
/** The whole reply of a server that speaks no TLS to the request for it; anything else is an error. */
const speaksNoTls = Buffer.from('N');

/** Opens one session, on the newest server of the address that can be used. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { address } = options;
  const responses = await Promise.allSettled(address.hosts.map((host) => openAt(host, options)));
  const { newest, failure } = pickNewest(responses, address);
  for (const response of responses)
    if (response.status === 'fulfilled' && response.value !== newest) void response.value.close();
  if (!newest) throw failure;
  return newest;
}

/** Opens a session on one host, whatever server that is, all of it within the time that the address gives. */
export async function openAt(host: Host, options: ConnectionOptions): Promise<Connection> {
  const { address } = options;
  const deadline = performance.now() + address.connectTimeoutMs;
  const withoutTls = () => start(host, new Socket(), { ...options, ssl: false, deadline });
  if (address.sslMode === 'disable' || host.host.startsWith('/')) return withoutTls();
  const socket = new Socket();
  let isTlsRefused = false;
  socket.once('data', (firstBytes: Buffer) => {
    isTlsRefused = firstBytes.equals(speaksNoTls);
  });
  try {
    return await start(host, socket, { ...options, ssl: sslConfig(address), deadline });
  } catch (error) {
    // Only the server's own word, given before any login: whatever else has failed, the password is not sent in the clear.
    const mayGoWithout = address.sslMode === 'prefer' && isTlsRefused;
    if (mayGoWithout && performance.now() < deadline) return withoutTls();
    throw error;
  }
}

interface StartOptions extends ConnectionOptions {
  /** Given in any case: the driver takes what is missing from the environment. */
  ssl: ReturnType<typeof sslConfig> | false;
  deadline: number;
}

async function start(host: Host, socket: Socket, options: StartOptions): Promise<Connection> {
  const { address, ssl, deadline } = options;
  // The driver connects the socket, and speaks TLS over it; it stays ours to end.
  const client = new Client({ ...driverConfig(host, options), ssl, stream: () => socket });
  // An attempt that fails is reported by its promise; only a connection that was handed over can be lost.
  let isHandedOver = false;
  let isLate = false;
  const session = wrap(client, socket, {
    ...options,
    onLost: (error) => isHandedOver && options.onLost?.(error),
  });
  const giveUp = (): void => {
    isLate = true;
    session.destroy();
  };
  const timer = setTimeout(giveUp, Math.max(0, deadline - performance.now()));
  try {
    await client.connect();
    const connection = Object.assign(session, await introduce(session, address), { host });
    await options.prepare?.(connection);
    isHandedOver = true;
    return connection;
  } catch (error) {
    session.destroy();
    throw isLate ? new Error('The server did not respond in time.', { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** A session whose server is not known yet. */
type Session = Omit<Connection, keyof Introduction | 'host'>;

function wrap(client: Client, socket: Socket, options: ConnectionOptions): Session {
  const { address, refuseWarnings = false, onLost } = options;
  let isOpen = true;
  let warnings = 0;
  const lose = (error: unknown): void => {
    if (!isOpen) return;
    isOpen = false;
    onLost?.(error);
  };
  const destroy = (): void => {
    lose(new Error('The connection was given up.'));
    socket.destroy();
  };
  // Without a listener the driver's errors would end the process.
  client.on('error', lose);
  client.on('end', () => lose(new Error('The connection has ended.')));
  // Class 00 is success: a mere notice. The word for the severity is translated, so it cannot tell.
  client.on('notice', ({ code }) => {
    if (!code?.startsWith('00')) warnings += 1;
  });

  const responds = (): Promise<boolean> =>
    client.query('').then(
      () => true,
      () => false,
    );

  /**
   * After an error that ends the session the server never gets ready again, so one more response proves that the error
   * was the statement's alone. The severity would say so, too, but the driver gives only its translation.
   */
  const ask = async <Row extends QueryResultRow>(query: QueryConfig): Promise<Row[]> => {
    try {
      return (await client.query<Row>(query)).rows;
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      const timer = setTimeout(destroy, signOfLifeMs);
      const isAlive = await responds();
      clearTimeout(timer);
      throw isAlive ? error : new Error('The server ended the session.', { cause: error });
    }
  };

  return {
    get isOpen() {
      return isOpen;
    },
    async query<Row extends QueryResultRow>(statement: Statement | string, values: Values = []) {
      const { text, name } = typeof statement === 'string' ? { text: statement } : statement;
      const warningsBefore = warnings;
      const query = { text, values: [...values], ...(address.ownsSession && name !== undefined && { name }) };
      const rows = await ask<Row>(query);
      // Such as a commit whose wait for the synchronous standby was cancelled: committed here, and only here.
      if (refuseWarnings && warnings > warningsBefore) {
        destroy();
        throw new Error('The server warned.');
      }
      return rows;
    },
    async settle() {
      const isSilent = async () => !(await responds()) && isOpen;
      // The driver gives up waiting for each query after a while; the server may still respond later.
      while (await isSilent());
    },
    async close() {
      isOpen = false;
      const timer = setTimeout(destroy, closeMs);
      // The driver's goodbye would cut statements off; this one comes behind them.
      await responds();
      await client.end().catch(() => {});
      clearTimeout(timer);
    },
    destroy,
  };
}
