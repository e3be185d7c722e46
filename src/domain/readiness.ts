import { PetstoreError } from './error.ts';

/**
 * Whether the store can be written: what the last write showed. Only after one has failed does a check commit something,
 * at most once a second, until that succeeds.
 */
export interface Readiness {
  /** Told how each write ended; undefined stands for success. */
  note: (failure: unknown) => void;
  /** Fails with the failure of the last write. */
  check(): Promise<void>;
}

const probeEveryMs = 1000;

/** The probe is a write, whose end is noted like that of any other. */
export function createReadiness(probe: () => Promise<unknown>): Readiness {
  let failure: PetstoreError | undefined;
  let probing: Promise<unknown> | undefined;
  let nextProbeAt = -Infinity;

  return {
    note(latest) {
      // A write that failed for any other reason has reached the store.
      failure = latest instanceof PetstoreError && latest.code === 'unavailable' ? latest : undefined;
    },
    async check() {
      if (failure && performance.now() >= nextProbeAt) {
        nextProbeAt = performance.now() + probeEveryMs;
        probing = probe().finally(() => (probing = undefined));
        probing.catch(() => {});
      }
      await probing;
      if (failure) throw failure;
    },
  };
}
