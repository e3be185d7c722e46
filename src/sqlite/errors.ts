import { SQLiteError } from 'bun:sqlite';
import { OperatorError, PetstoreError } from '../error.ts';
import type { StoreFile } from './opening/store-file.ts';

/** Whether somebody else holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/.test(error.code ?? '');
}

/** Whether a file is no database, or not a sound one. */
export function isUnreadable(error: unknown): boolean {
  return isDamage(error) || (error instanceof SQLiteError && error.code === 'SQLITE_NOTADB');
}

export function isDamage(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? '').startsWith('SQLITE_CORRUPT');
}

const unavailableCodes = /^SQLITE_(?:FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|CORRUPT|NOTADB|PROTOCOL|NOMEM)/;

/** The error as callers get it: a store that cannot be used is `unavailable`, anything else is a bug. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof SQLiteError) || !unavailableCodes.test(error.code ?? '')) return error;
  return new PetstoreError('unavailable', 'The store cannot be used at the moment. Try again.', {
    cause: error,
  });
}

/**
 * The error of a COMMIT. A full disk or a lock keeps a commit from being written; after any other failure, such as that
 * of a sync, it may be in the log, and a restart may find it there.
 */
export function translateCommitError(error: unknown): unknown {
  const translated = translateError(error);
  const isUndone = error instanceof SQLiteError && (isBusy(error) || error.code === 'SQLITE_FULL');
  if (!(translated instanceof PetstoreError) || isUndone) return translated;
  return outcomeUnknown('The disk failed', error);
}

export function outcomeUnknown(reason: string, cause: unknown): PetstoreError {
  return new PetstoreError(
    'unavailable',
    `${reason}, and the outcome of this write is unknown. ` +
      'Repeat it with the same Idempotency-Key; without one, check first whether the pet is there.',
    { cause },
  );
}

/** For a service whose store was taken away from under it. Whatever it wrote would be found by nobody. */
export function storeMoved({ name, path }: StoreFile): PetstoreError {
  return new PetstoreError('unavailable', 'The store cannot be used at the moment. Try again.', {
    cause: new Error(
      `${name} is no longer the file that was opened: it was moved, replaced or removed. ` +
        'Put the file back where it was, or restart the service to use what is there now. If another file was put ' +
        `in its place, first move ${path}-wal and ${path}-shm away: they belong to the old one.`,
    ),
  });
}

/** One line for the operator about a file that cannot be opened, read or written. */
export function explain(error: unknown, path: string): unknown {
  const { code, syscall, path: file = path } = error as NodeJS.ErrnoException;
  if (syscall !== undefined)
    return new OperatorError(`${file}: ${syscall} failed (${code}). Check the disk and the rights.`);
  if (!(error instanceof SQLiteError)) return error;
  if (isBusy(error)) {
    return new OperatorError(
      `The store ${path} is locked by another process, such as petstore restore. Try again when that is done.`,
    );
  }
  if (error.code === 'SQLITE_NOTADB') {
    return new OperatorError(
      `${path} is not a database. Choose another file with --database-url, or move this one away.`,
    );
  }
  if (isDamage(error)) return damaged(path);
  if (error.code === 'SQLITE_READONLY_DBMOVED') return replaced(path);
  if (error.code === 'SQLITE_FULL' || error.code === 'SQLITE_IOERR_SHMSIZE')
    return new OperatorError(`The store ${path} cannot be opened: the disk is full. Make room on it.`);
  return new OperatorError(`The store ${path} cannot be opened: ${error.message} (${error.code}).`);
}

export function damaged(path: string): OperatorError {
  return damage(path, '');
}

/** For whoever has only read. */
export function damagedUnchanged(path: string): OperatorError {
  return damage(path, 'Nothing was changed. ');
}

function damage(path: string, note: string): OperatorError {
  return new OperatorError(
    `The database ${path} is damaged. ${note}Put a backup in its place: petstore restore FILE --force`,
  );
}

export function replaced(path: string): OperatorError {
  return new OperatorError(`${path} was replaced while it was being opened. Run the same command again.`);
}
