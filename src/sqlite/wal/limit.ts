import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { PetstoreError } from '../../error.ts';

/** A backup or an export holds its snapshot for seconds, in which the log grows by a small part of this. */
const maxLogBytes = 2 * 1024 * 1024 * 1024;
/** In this time the log grows by a small part of the limit, too; to look before every transaction took 2 % of a create. */
const lookEveryMs = 20;

let nextLookAt = 0;

/**
 * Call before a transaction, outside of one. While somebody holds a snapshot, the log cannot be begun anew and grows
 * with every write, until the disk is full. Past the limit, writes are refused until the reader has left; each
 * refused one tries to empty the log, since nothing else would.
 */
export function refuseLongLog(database: Database, path: string): void {
  if (performance.now() < nextLookAt) return;
  if (logBytes(path) <= maxLogBytes) {
    nextLookAt = performance.now() + lookEveryMs;
    return;
  }
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  const bytes = logBytes(path);
  if (bytes <= maxLogBytes) return;
  throw new PetstoreError(
    'unavailable',
    'A long-running reader keeps the store from being written. Try again later.',
    {
      cause: new Error(
        `${path}-wal has grown to ${bytes} bytes, because a program has been reading one state of the store for long. ` +
          'Writes go on when it ends. End it, or wait: fuser -v names the programs that have the file open.',
      ),
    },
  );
}

function logBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
