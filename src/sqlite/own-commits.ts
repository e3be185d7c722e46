import type { WalIndex } from './wal/header.ts';

/**
 * Tells the commits of our own writer thread from those of others. The keys of the store change with a few commits,
 * and with none of those that add animals; to read them again after each took 4 % of a create.
 *
 * A commit is a stranger's unless the writer claims it. Under the write lock, it counts once more if the last commit
 * is not the one that it claimed last. So while the count is the same, and the commit that is seen is claimed, all
 * commits in between were claimed, too. Whatever goes wrong leaves a commit unclaimed, and keys are read again.
 */
export type SharedClaims = Uint32Array<SharedArrayBuffer>;

const [changesAt, checksumAt, strangersAt] = [0, 1, 2];

export function createClaims(): SharedClaims {
  return new Uint32Array(new SharedArrayBuffer(3 * Uint32Array.BYTES_PER_ELEMENT));
}

/** What the writer does with them. */
export interface Claiming {
  /** Call it under the write lock. */
  begin(): void;
  /** Call it after a commit that changed something, but no keys. */
  claim(): void;
}

export function createClaiming(index: WalIndex, claims: SharedClaims): Claiming {
  let changesBefore = 0;
  return {
    begin() {
      const isClaimed = index.changes === claims[changesAt] && index.checksum === claims[checksumAt];
      if (!isClaimed) Atomics.add(claims, strangersAt, 1);
      changesBefore = index.changes;
    },
    claim() {
      const { checksum, changes } = index;
      // Ours is the one after. The lock is given back by now, so this may already be the header of another process.
      if (changes !== (changesBefore + 1) >>> 0) return;
      Atomics.store(claims, changesAt, changes);
      Atomics.store(claims, checksumAt, checksum);
    },
  };
}

/** For the serving thread: whether all commits since the last call, up to the one that it saw, were claimed. */
export function createClaimCheck(claims: SharedClaims): (seen: WalIndex) => boolean {
  let strangersBefore = 0;
  return ({ changes, checksum }) => {
    const isClaimed =
      Atomics.load(claims, changesAt) === changes && Atomics.load(claims, checksumAt) === checksum;
    // After the claim: whoever is counted was counted before it.
    const strangers = Atomics.load(claims, strangersAt);
    const isOnlyClaimed = isClaimed && strangers === strangersBefore;
    strangersBefore = strangers;
    return isOnlyClaimed;
  };
}
