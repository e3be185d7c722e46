import { storeClosing } from '../../../domain/error.ts';
import { createBoundedQueue } from '../../batcher.ts';
import { SessionLostError, spoilsSession } from '../errors.ts';
import type { Session } from './session.ts';

/** A few sessions for one kind of work. Each is opened on first use and replaced if it is lost. */
export interface Lanes {
  /**
   * Waits for a session with room; fails with a `PetstoreError` if there is none in time, and with a `SessionLostError`
   * if none can be opened. Ends a spoilt session.
   */
  run<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface LanesOptions {
  count: number;
  /** How many statements or transactions may run on one session. Others wait here, where they can be refused. */
  maxPerSession: number;
  open: (onLost: () => void) => Promise<Session>;
}

const maxWaitMs = 2000;
/** The pause before the next attempt after a server refused a session. */
const pauseAfterFailureMs = 100;

interface Lane {
  load: number;
  session?: Promise<Session>;
}

export function createLanes({ count, maxPerSession, open }: LanesOptions): Lanes {
  const lanes = Array.from({ length: count }, (): Lane => ({ load: 0 }));
  const waiting = createBoundedQueue<undefined, void>({ maxWaitMs });
  let isClosed = false;

  /** Equally busy lanes take turns. */
  const leastLoaded = (): Lane => {
    const lane = lanes.reduce((least, other) => (other.load < least.load ? other : least));
    if (count > 1) lanes.push(...lanes.splice(lanes.indexOf(lane), 1));
    return lane;
  };

  const openOn = (lane: Lane): Promise<Session> => {
    const forget = (): void => {
      if (lane.session === session) delete lane.session;
    };
    const session = open(forget).catch((error: unknown) => {
      setTimeout(forget, pauseAfterFailureMs);
      throw new SessionLostError(error);
    });
    lane.session = session;
    return session;
  };

  return {
    async run(work) {
      let lane = leastLoaded();
      while (lane.load >= maxPerSession) {
        await waiting.add(undefined);
        lane = leastLoaded();
      }
      if (isClosed) throw storeClosing();
      lane.load += 1;
      let session: Session | undefined;
      try {
        session = await (lane.session ?? openOn(lane));
        return await work(session);
      } catch (error) {
        if (spoilsSession(error)) session?.destroy();
        throw error;
      } finally {
        lane.load -= 1;
        waiting.take(1)[0]?.resolve();
      }
    },
    async close() {
      isClosed = true;
      const closing = lanes.map(async (lane) => (await lane.session?.catch(() => undefined))?.close());
      await Promise.all(closing);
    },
  };
}
