/** Tells whether what is kept in memory still matches the file. */
export interface Freshness {
  /** Call before every read from memory: drops what is kept if anybody has committed since. */
  check: () => void;
}

/**
 * Where the wal-index (https://sqlite.org/walformat.html#walidxfmt) keeps what moves with every commit of any
 * process, in 32-bit words: iChange, mxFrame, and the checksum and salt of the last frame.
 */
const movingWords = [2, 4, 6, 7, 8, 9] as const;
const headerWords = 12;

/**
 * Watches the wal-index, the memory by which SQLite itself learns of other connections' commits: a commit is
 * written there before COMMIT returns, so before anybody can be told of it. To look costs some nanoseconds,
 * where `PRAGMA data_version` costs 2 µs, and so every single request looks.
 */
export function createFreshness(path: string, drop: () => void): Freshness {
  const bytes = Bun.mmap(`${path}-shm`);
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, headerWords);
  const seen = new Uint32Array(movingWords.length);
  const look = (): boolean => {
    let hasMoved = false;
    for (let index = 0; index < movingWords.length; index++) {
      // Atomic, because other processes write here while we read.
      const word = Atomics.load(header, movingWords[index] ?? 0);
      if (seen[index] === word) continue;
      seen[index] = word;
      hasMoved = true;
    }
    return hasMoved;
  };
  look();

  return {
    check() {
      if (look()) drop();
    },
  };
}
