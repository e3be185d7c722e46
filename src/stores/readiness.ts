import { PetstoreError } from '../domain/error.ts';

/**
 * Tells whether the store accepts writes, judging by the last one. After a failure, `check` commits a probe at most
 * once a second until one succeeds.
 */
export interface Readiness {
  /** Receives the outcome of each write; undefined means success. */
  note: (failure: unknown) => void;
  /** Throws the failure of the last write. */
  check(): Promise<void>;
}

const probeEveryMs = 1000;

/** The probe is a write and reports its outcome through `note`, like any other write. */
export function createReadiness(probe: () => Promise<unknown>): Readiness {
  let failure: PetstoreError | undefined;
  let probing: Promise<unknown> | undefined;
  let nextProbeAt = -Infinity;

  return {
    note(latest) {
      // A write that failed for another reason did reach the store.
      failure = latest instanceof PetstoreError && latest.code === 'unavailable' ? latest : undefined;
    },
    async check() {
      if (failure && !probing && performance.now() >= nextProbeAt) {
        nextProbeAt = performance.now() + probeEveryMs;
        probing = probe().finally(() => (probing = undefined));
        probing.catch(() => {});
      }
      await probing;
      if (failure) throw failure;
    },
  };
}
