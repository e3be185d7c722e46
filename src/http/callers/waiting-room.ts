import { PetstoreError } from '../../domain/error.ts';
import type { EventPosition } from '../../domain/event.ts';
import type { EventStore } from '../../domain/store.ts';

/** Holds the requests of this process that are waiting for the next event. */
export interface WaitingRoom {
  /** Resolves with true once there is an event after `newest`, and with false if time is up or waiting has ended. */
  wait(newest: EventPosition, timeMs: number, signal: AbortSignal): Promise<boolean>;
  /** Ends every wait now, and refuses later ones. */
  close(): void;
}

const maxWaiting = 1024;

/** Polls the store once for all waiting requests, and only while there are any. */
export function createWaitingRoom(events: Pick<EventStore, 'newestEvent' | 'checkEveryMs'>): WaitingRoom {
  const waiting = new Map<(isChanged: boolean) => void, EventPosition>();
  let isChecking = false;
  let isClosed = false;

  const checkWhileNeeded = async (): Promise<void> => {
    if (isChecking) return;
    isChecking = true;
    while (waiting.size > 0) {
      await Bun.sleep(events.checkEveryMs);
      // If the store fails, each waiting request reads for itself and reports the error.
      const newest = await Promise.try(() => events.newestEvent()).catch(() => undefined);
      for (const [leave, seen] of waiting)
        if (newest?.id !== seen.id || newest.epoch !== seen.epoch) leave(true);
    }
    isChecking = false;
  };

  return {
    wait(newest, timeMs, signal) {
      if (isClosed || signal.aborted) return Promise.resolve(false);
      if (waiting.size >= maxWaiting)
        throw new PetstoreError('overloaded', 'Too many readers wait for events. Try again shortly.');
      return new Promise((resolve) => {
        const leave = (isChanged: boolean): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', giveUp);
          waiting.delete(leave);
          resolve(isChanged);
        };
        const giveUp = (): void => leave(false);
        const timer = setTimeout(giveUp, timeMs);
        signal.addEventListener('abort', giveUp);
        waiting.set(leave, newest);
        void checkWhileNeeded();
      });
    },
    close() {
      isClosed = true;
      for (const leave of waiting.keys()) leave(false);
    },
  };
}
