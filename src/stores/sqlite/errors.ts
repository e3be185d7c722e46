/** Failures of SQLite and the file system: `operatorError` is for operators, `callerError` for callers of the API. */

import { SQLiteError } from 'bun:sqlite';
import {
  type ErrorCode,
  OperatorError,
  OutcomeUnknownError,
  PetstoreError,
  unavailable,
} from '../../domain/error.ts';
import { systemReason } from '../../system/files.ts';
import { describeError, reasonOf } from '../../system/log.ts';

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/.test(codeOf(error));
}

/** Whether a file is not a database, or is damaged. */
export function isUnreadable(error: unknown): boolean {
  return isDamage(error) || codeOf(error) === 'SQLITE_NOTADB';
}

export function isDamage(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_CORRUPT');
}

/** Whether a disk is full, or a write to it failed. */
export function isFailedWrite(error: unknown): boolean {
  return /^SQLITE_(?:FULL|IOERR_WRITE|IOERR_FSYNC)$/.test(codeOf(error));
}

/** Turns a failure to open, read or write a file into one line for the operator. Other errors stay unchanged. */
export function operatorError(error: unknown, path: string): unknown {
  const { syscall, path: file = path } = error as NodeJS.ErrnoException;
  if (syscall !== undefined)
    return new OperatorError(`${file}: ${systemReason(error)}.`, 'Check the disk and the rights.');
  if (!(error instanceof SQLiteError)) return error;
  if (isBusy(error))
    return new OperatorError(
      `The store ${path} is locked by another process, such as petstore restore.`,
      'Try again when that is done.',
    );
  if (isDamage(error)) return damaged(path);
  if (codeOf(error) === 'SQLITE_NOTADB')
    return new OperatorError(
      `${path} is not a database.`,
      'Choose another file with --database-url, or move this one away.',
    );
  return new OperatorError(
    `The store ${path} cannot be opened: ${error.message} (${error.code}).`,
    'Check the disk, its free space and the rights.',
  );
}

/** `row` names what is damaged, such as `pet 3`, if it is known. */
export function damaged(name: string, row?: string): OperatorError {
  return new OperatorError(
    `The database ${name} is damaged${row === undefined ? '' : ` at ${row}`}.`,
    'Put a backup in its place: petstore restore FILE --force',
  );
}

export function replaced(name: string): OperatorError {
  return new OperatorError(`${name} was replaced while it was being opened.`, 'Run the same command again.');
}

export function noStore(name: string): OperatorError {
  return new OperatorError(`There is no store at ${name}.`, 'Check the path.');
}

const unavailableCodes = /^SQLITE_(?:FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|CORRUPT|NOTADB|PROTOCOL|NOMEM)/;

/** The error for callers: `unavailable` if the store cannot be used. Anything else is a bug. */
export function callerError(error: unknown): unknown {
  return unavailableCodes.test(codeOf(error)) ? unavailable(error) : error;
}

/** An error in a form that passes between threads, which do not preserve classes. */
export interface Failure {
  /** What callers of the API get; absent for a bug. */
  response?: { code: ErrorCode; message: string };
  /** For the log. */
  reason: string;
  stack: string;
}

export function describeFailure(error: unknown): Failure {
  const translated = callerError(error);
  const failure = { reason: reasonOf(translated), stack: describeError(translated) };
  if (!(translated instanceof PetstoreError)) return failure;
  return { ...failure, response: { code: translated.code, message: translated.message } };
}

export function failureOf({ response, reason, stack }: Failure): Error {
  const cause = Object.assign(new Error(reason), { stack });
  return response ? new PetstoreError(response.code, response.message, { cause }) : cause;
}

/**
 * Translates an error of a COMMIT. A full disk or a lock means that nothing was written. After any other failure, such
 * as a failed sync, the commit may be in the log, and a restart may find it there.
 */
export function callerErrorOfCommit(error: unknown): unknown {
  const translated = callerError(error);
  const isUndone = isBusy(error) || codeOf(error) === 'SQLITE_FULL';
  if (!(translated instanceof PetstoreError) || isUndone) return translated;
  return new OutcomeUnknownError('The disk failed', error);
}

/** For a service whose store was moved: its writes would be lost. */
export function storeMoved({ name, path }: { name: string; path: string }): PetstoreError {
  return unavailable(
    new Error(
      `${name} is no longer the file that was opened: it, its log or its shared memory was moved, replaced or ` +
        'removed. Put back what was moved, and restart the service. To use another file that was put in its place, first ' +
        `move ${path}-wal and ${path}-shm away: they belong to the old one.`,
    ),
  );
}

function codeOf(error: unknown): string {
  return error instanceof SQLiteError ? (error.code ?? '') : '';
}
