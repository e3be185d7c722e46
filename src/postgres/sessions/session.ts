import { Socket } from 'node:net';
import { Client, DatabaseError, type QueryResultRow } from 'pg';
import { SessionLostError } from '../errors.ts';
import { driverConfig, sslConfig, type DriverOptions } from './config.ts';
import { introduce, type Introduction } from './server.ts';
import type { Query, Statement, Values } from './statement.ts';

/** One session. Once it has failed it is useless: `isOpen` turns false and `onLost` is called, once. */
export interface Session extends Introduction {
  readonly isOpen: boolean;
  /** How many warnings the server has sent. */
  readonly warnings: number;
  query: Query;
  /** Waits a while for statements under way, then ends the session. */
  close(): Promise<void>;
  /** Ends the session at once; statements under way fail. */
  destroy(): void;
}

export interface SessionOptions extends DriverOptions {
  onLost?: () => void;
}

const closeMs = 5000;
/** The whole reply of a server that speaks no TLS to the request for it; anything else is an error. */
const speaksNoTls = Buffer.from('N');

/** Opens a session on the primary that the address leads to, all of it within the time that the address gives. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { address } = options;
  const deadline = performance.now() + address.connectTimeoutMs;
  const withoutTls = () => start(new Socket(), { ...options, ssl: false, deadline });
  if (address.sslMode === 'disable' || address.host.startsWith('/')) return withoutTls();
  const socket = new Socket();
  let isTlsRefused = false;
  socket.once('data', (firstBytes: Buffer) => {
    isTlsRefused = firstBytes.equals(speaksNoTls);
  });
  try {
    return await start(socket, { ...options, ssl: sslConfig(address), deadline });
  } catch (error) {
    // Only the server's own word, given before any login: whatever else has failed, the password is not sent in the clear.
    const mayGoWithout = address.sslMode === 'prefer' && isTlsRefused;
    if (mayGoWithout && performance.now() < deadline) return withoutTls();
    throw error;
  }
}

interface StartOptions extends SessionOptions {
  /** Given in any case: the driver takes what is missing from the environment. */
  ssl: ReturnType<typeof sslConfig> | false;
  deadline: number;
}

async function start(socket: Socket, options: StartOptions): Promise<Session> {
  const { ssl, deadline, onLost } = options;
  // The driver connects the socket, and speaks TLS over it; it stays ours to end.
  const client = new Client({ ...driverConfig(options), ssl, stream: () => socket });
  // An attempt that fails is reported by its promise; only a session that was handed over can be lost.
  let isHandedOver = false;
  let isLate = false;
  const session = wrap(client, socket, { ...options, onLost: () => isHandedOver && onLost?.() });
  const giveUp = (): void => {
    isLate = true;
    session.destroy();
  };
  const timer = setTimeout(giveUp, Math.max(0, deadline - performance.now()));
  try {
    await client.connect();
    const introduced = Object.assign(session, await introduce(session.query));
    isHandedOver = true;
    return introduced;
  } catch (error) {
    session.destroy();
    throw isLate ? new Error('The server did not respond in time.', { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
}

function wrap(
  client: Client,
  socket: Socket,
  { address, onLost }: SessionOptions,
): Omit<Session, keyof Introduction> {
  let isOpen = true;
  let warnings = 0;
  const lose = (): void => {
    if (!isOpen) return;
    isOpen = false;
    onLost?.();
  };
  const destroy = (): void => {
    lose();
    socket.destroy();
  };
  // Without a listener the driver's errors would end the process.
  client.on('error', lose);
  client.on('end', lose);
  // Class 00 is success: a mere notice. The word for the severity is translated, so it cannot tell.
  client.on('notice', ({ code }) => {
    if (!code?.startsWith('00')) warnings += 1;
  });

  return {
    get isOpen() {
      return isOpen;
    },
    get warnings() {
      return warnings;
    },
    async query<Row extends QueryResultRow>(statement: Statement | string, values: Values = []) {
      const { text, name }: Statement = typeof statement === 'string' ? { text: statement } : statement;
      const usesName = name !== undefined && !address.isPgbouncer;
      const query = { text, values: [...values], ...(usesName && { name }) };
      try {
        return (await client.query<Row>(query)).rows;
      } catch (error) {
        throw error instanceof DatabaseError ? error : new SessionLostError(error);
      }
    },
    async close() {
      isOpen = false;
      const timer = setTimeout(destroy, closeMs);
      await client.end().catch(() => {});
      clearTimeout(timer);
    },
    destroy,
  };
}
