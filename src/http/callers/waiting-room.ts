import { PetstoreError } from '../../domain/error.ts';
import type { EventPosition } from '../../domain/event.ts';
import type { EventStore } from '../../domain/store.ts';

/** Holds the requests of this process that are waiting for the next event. */
export interface WaitingRoom {
  /** Resolves with true once the log has moved on from `end`, and with false if time is up or waiting has ended. */
  wait(end: EventPosition, timeMs: number, signal: AbortSignal): Promise<boolean>;
  /** Ends every wait now, and refuses later ones. */
  close(): void;
}

const maxWaiting = 1024;
const atEnd = { after: 'now', limit: 1 } as const;

/** Polls the store once for all waiting requests, and only while there are any. */
export function createWaitingRoom(events: EventStore): WaitingRoom {
  const waiting = new Map<(isChanged: boolean) => void, EventPosition>();
  let isChecking = false;
  let isClosed = false;

  const checkWhileNeeded = async (): Promise<void> => {
    if (isChecking) return;
    isChecking = true;
    while (waiting.size > 0) {
      await Bun.sleep(events.checkEveryMs);
      // If the store fails, each waiting request reads for itself and reports the error.
      const page = await Promise.try(() => events.listEvents(atEnd)).catch(() => undefined);
      for (const [leave, seen] of waiting)
        if (page?.next.id !== seen.id || page.next.epoch !== seen.epoch) leave(true);
    }
    isChecking = false;
  };

  return {
    wait(end, timeMs, signal) {
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
        waiting.set(leave, end);
        void checkWhileNeeded();
      });
    },
    close() {
      isClosed = true;
      for (const leave of waiting.keys()) leave(false);
    },
  };
}
