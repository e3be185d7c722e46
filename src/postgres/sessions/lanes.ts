import { storeClosing, unavailable } from '../../domain/error.ts';
import { createBoundedQueue } from '../batcher.ts';
import { spoilsSession } from '../errors.ts';
import type { Session } from './session.ts';

/** A few sessions for one kind of work. Each is opened on first use and replaced if it is lost. */
export interface Lanes {
  /** Waits for a session with room; fails with a `PetstoreError` if there is none in time. Ends a spoilt session. */
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
/** A request that waits longer for a session is refused; the next one may still get it. */
const maxConnectMs = 2000;
/** The pause before the next attempt after a server refused a session. */
const pauseAfterFailureMs = 100;

interface Lane {
  load: number;
  opening?: Promise<Session>;
  /** Set once it is open. */
  session?: Session;
}

export function createLanes({ count, maxPerSession, open }: LanesOptions): Lanes {
  const lanes = Array.from({ length: count }, (): Lane => ({ load: 0 }));
  const waiting = createBoundedQueue<undefined, void>(maxWaitMs);
  let isClosed = false;

  /** Equally busy lanes take turns. */
  const leastLoaded = (): Lane => {
    const lane = lanes.reduce((least, other) => (other.load < least.load ? other : least));
    if (count > 1) lanes.push(...lanes.splice(lanes.indexOf(lane), 1));
    return lane;
  };

  const openOn = (lane: Lane): Promise<Session> => {
    const forget = (): void => {
      if (lane.opening !== opening) return;
      delete lane.opening;
      delete lane.session;
    };
    const opening = open(forget);
    opening.then(
      (session) => {
        if (lane.opening === opening) lane.session = session;
      },
      () => setTimeout(forget, pauseAfterFailureMs),
    );
    lane.opening = opening;
    return opening;
  };

  /** Joins a running attempt and starts another if it fails: the first may have begun while the network was silent. */
  const join = (lane: Lane, opening: Promise<Session>): Promise<Session> =>
    opening.catch(async () => {
      await Bun.sleep(pauseAfterFailureMs);
      return lane.opening ?? openOn(lane);
    });

  const connect = (lane: Lane): Promise<Session> =>
    within(maxConnectMs, lane.opening ? join(lane, lane.opening) : openOn(lane)).catch((error: unknown) => {
      throw unavailable(error);
    });

  return {
    async run(work) {
      let lane = leastLoaded();
      if (lane.load >= maxPerSession) {
        await waiting.add(undefined);
        lane = leastLoaded();
      }
      if (isClosed) throw storeClosing();
      lane.load += 1;
      let session: Session | undefined;
      try {
        session = lane.session ?? (await connect(lane));
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
      const closing = lanes.map(async ({ opening }) => (await opening?.catch(() => undefined))?.close());
      await Promise.all(closing);
    },
  };
}

/** Fails with `unavailable` if the work takes longer. The work itself continues. */
async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(unavailable(new Error(`Waited more than ${timeoutMs} ms.`))),
    timeoutMs,
  );
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
