import { createPets, Journal } from '../../test/support/journal.ts';

/** Clients that create pets without pause and keep a journal of what they were told. */
export interface Load {
  journal: Journal;
  /** Resolves when so many more have been acknowledged; false when that does not happen in time. */
  untilAcknowledged(count: number, withinMs?: number): Promise<boolean>;
  /** Waits until every request that was begun is settled. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  url: () => string;
  creators?: number;
  label?: string;
  journal?: Journal;
  /** Repeat, under an Idempotency-Key, what got no response: every second client unless said otherwise. */
  isPersistent?: (creator: number) => boolean;
}

export function startLoad(options: LoadOptions): Load {
  const { url, creators = 12, label = 'creator', journal = new Journal() } = options;
  const { isPersistent = (creator: number) => creator % 2 === 0 } = options;
  let isDone = false;
  const running = Array.from({ length: creators }, (_, creator) =>
    createPets({
      journal,
      url,
      isDone: () => isDone,
      label: `${label}-${creator}`,
      isPersistent: isPersistent(creator),
    }),
  );
  const all = Promise.all(running);
  all.catch(() => {});
  return {
    journal,
    async untilAcknowledged(count, withinMs = 60_000) {
      const goal = journal.acknowledged.size + count;
      const deadline = performance.now() + withinMs;
      while (journal.acknowledged.size < goal) {
        if (performance.now() > deadline) return false;
        await Bun.sleep(1);
      }
      return true;
    },
    async stop() {
      isDone = true;
      await all;
    },
  };
}
