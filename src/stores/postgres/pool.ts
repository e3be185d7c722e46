import { type Client, type ClientBase, Pool } from 'pg';
import { storeClosing } from '../../domain/error.ts';
import { isCollision, SessionLostError } from './errors.ts';
import { beginSession, driverConfig, type Session, type SessionOptions } from './session.ts';

/** Sessions for one kind of work. Each is opened when it is needed, stays open, and is replaced if it is lost. */
export interface SessionPool {
  /**
   * Runs work on a session that nobody else uses meanwhile. Fails with a `SessionLostError` if none is free in time,
   * and with a `PetstoreError` once the pool closes.
   */
  run<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  /** Waits briefly for running statements, then ends all sessions. */
  close(): Promise<void>;
}

export interface PoolOptions extends SessionOptions {
  /** How many sessions to open at most. */
  size: number;
  /** Receives each new session before its first use, and may throw to refuse it. */
  onBegin?: (session: Session) => void;
}

const closeMs = 5000;

export function createPool(options: PoolOptions): SessionPool {
  const { size, onBegin } = options;
  const sessions = new WeakMap<ClientBase, Session>();
  const open = new Set<Session>();
  let closed: Promise<void> | undefined;

  const pool = new Pool({
    ...driverConfig(options),
    max: size,
    idleTimeoutMillis: 0,
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

  const acquire = async () => {
    if (closed) throw storeClosing();
    const client = await pool.connect().catch((error: unknown) => {
      throw new SessionLostError(error);
    });
    // `onConnect` has begun it.
    return { client, session: sessions.get(client) as Session };
  };

  const end = async (): Promise<void> => {
    const timer = setTimeout(() => open.forEach((session) => session.destroy()), closeMs);
    await pool.end();
    await Promise.all(Array.from(open, ({ ended }) => ended));
    clearTimeout(timer);
  };

  return {
    async run(work) {
      const { client, session } = await acquire();
      try {
        const result = await work(session);
        client.release();
        return result;
      } catch (error) {
        // Anything else may have spoiled the session: it may be read-only since a failover, or have an outdated plan.
        const isSound = isCollision(error);
        // The driver would wait for the responses to what it has sent, on a silent network for ever.
        if (!isSound) session.destroy();
        client.release(!isSound);
        throw error;
      }
    },
    close: () => (closed ??= end()),
  };
}
