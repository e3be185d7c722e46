import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { PetstoreError } from '../domain/error.ts';

/** A backup or an export holds a snapshot for seconds, in which the log grows by a small part of this. */
const maxLogBytes = 2 * 1024 * 1024 * 1024;

/**
 * Call it before a transaction. While a reader holds a snapshot, SQLite cannot restart the log, which grows with every
 * write until the disk is full. Past the limit, writes are refused until the reader is gone. Each refused write tries to
 * empty the log, because nothing else would.
 */
export function refuseLongLog(database: Database, path: string): void {
  if (logBytes(path) <= maxLogBytes) return;
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  const bytes = logBytes(path);
  if (bytes <= maxLogBytes) return;
  throw new PetstoreError(
    'unavailable',
    'A long-running reader blocks writes to the store. Try again later.',
    {
      cause: new Error(
        `${path}-wal has grown to ${bytes} bytes, because a program has held a snapshot of the store for long. ` +
          'Writes go on when it ends. End it, or wait: fuser -v names the programs that have the file open.',
      ),
    },
  );
}

export function logBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
