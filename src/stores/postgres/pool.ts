import { type Client, type ClientBase, Pool, type PoolClient } from 'pg';
import { PetstoreError, storeClosing } from '../../domain/error.ts';
import {
  beginSession,
  driverConfig,
  IndependentClient,
  isLost,
  type Session,
  SessionLostError,
  type SessionOptions,
  stateOf,
} from './session.ts';

/** Sessions for one kind of work. Each is opened when it is needed, stays open, and is replaced if it is lost. */
export interface SessionPool {
  /**
   * Runs work on a session that nobody else uses meanwhile, and ends a session that it spoils. Fails with a
   * `SessionLostError` if there is no session in time, and with a `PetstoreError` once the pool closes.
   */
  run<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  /** Waits briefly for running statements, then ends all sessions. Callers who wait for one are told at once. */
  close(): Promise<void>;
}

export interface PoolOptions extends SessionOptions {
  /** How many sessions to open at most. */
  size: number;
  /** Receives each new session before its first use, and may throw to refuse it. */
  onBegin?: (session: Session) => void;
}

const closeMs = 5000;
/** How many callers may wait for a session. */
const maxWaiting = 10_000;

export function createPool(options: PoolOptions): SessionPool {
  const { address, size, onBegin } = options;
  const sessions = new WeakMap<ClientBase, Session>();
  const open = new Set<Session>();
  const waiting = new Set<(reason: Error) => void>();
  /** Set when the pool begins to close. */
  let closed: Promise<void> | undefined;

  const pool = new Pool({
    ...driverConfig(options),
    Client: IndependentClient,
    max: size,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: address.connectTimeoutMs,
    async onConnect(client: ClientBase) {
      const session = await beginSession(client as Client, options);
      sessions.set(client, session);
      open.add(session);
      void session.ended.then(() => open.delete(session));
      try {
        onBegin?.(session);
      } catch (error) {
        session.destroy();
        throw error;
      }
    },
  });
  // Without a listener, an error of an idle session would end the process.
  pool.on('error', () => {});

  const acquire = () =>
    new Promise<{ client: PoolClient; session: Session }>((resolve, reject) => {
      if (closed) return reject(storeClosing());
      if (waiting.size >= maxWaiting)
        return reject(new PetstoreError('overloaded', 'Too many requests are waiting. Try again shortly.'));
      waiting.add(reject);
      pool.connect((error, client) => {
        const session = client && sessions.get(client);
        // `close` has told the caller already.
        if (!waiting.delete(reject)) client?.release();
        else if (session) resolve({ client, session });
        else reject(new SessionLostError(error));
      });
    });

  const end = async (): Promise<void> => {
    for (const refuse of waiting) refuse(storeClosing());
    waiting.clear();
    const timer = setTimeout(() => open.forEach((session) => session.destroy()), closeMs);
    await pool.end();
    await Promise.all(Array.from(open, ({ ended }) => ended));
    clearTimeout(timer);
  };

  return {
    async run(work) {
      const { client, session } = await acquire();
      let isUseless = false;
      try {
        return await work(session);
      } catch (error) {
        isUseless = spoilsSession(error);
        // The driver would wait for the responses to what it has sent, on a silent network for ever.
        if (isUseless) session.destroy();
        throw error;
      } finally {
        client.release(isUseless);
      }
    },
    close: () => (closed ??= end()),
  };
}

/**
 * Whether the session must not be used again. 25006: read-only since a failover; 26000, 42P05, 0A000: a statement is
 * unknown, its name taken, its plan outdated.
 */
function spoilsSession(error: unknown): boolean {
  return isLost(error) || ['25006', '26000', '42P05', '0A000'].includes(stateOf(error));
}
