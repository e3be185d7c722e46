/**
 * This folder reads what SQLite keeps beside a store in WAL mode: the log (`-wal`, `frames.ts`) and the shared memory
 * (`-shm`, `header.ts`). This file finds damage in a log before SQLite opens it: SQLite takes the first frame with a wrong
 * checksum for the end of the log, and drops the commits behind it without a word. `limit.ts` keeps a log from growing
 * without end.
 */

import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { FrameReader, findAcknowledged, headerBytes, readHeader, type LogHeader } from './frames.ts';
import { readLogState, type LogState } from './header.ts';

export interface LogReport {
  /** Commits that were synced lie behind a damaged frame or header. */
  isDamaged: boolean;
  /** Pages that are neither in the database file nor in the log. Only unused ones may be. */
  missingPages: number;
}

const sound: LogReport = { isDamaged: false, missingPages: 0 };
/** If the log keeps changing while we read it, another process is writing; skip the check. */
const maxAttempts = 10;
/** SQLite never writes the page at this offset: it keeps its locks there. */
const lockByte = 0x40000000;

/**
 * Reads the log as SQLite's recovery would, and on behind the first bad frame. A crash damages only the end of a log,
 * because each commit is synced before the next one is written. So a sound frame that follows a commit behind the damage
 * proves that acknowledged commits would be lost. The shared memory of a crashed process, if it is left, proves the same
 * for a log that was cut off; after a power cut it can only be older than the log.
 *
 * Others may write meanwhile, and a frame that is half written looks damaged. Only what two passes find at the same
 * frame under the same header is damage: what follows that frame was there at the first pass, so it was complete.
 *
 * The database file is never opened here: closing it would drop the locks that this process holds on it.
 */
export function checkLog(path: string): LogReport {
  // Read before the log: what it describes is in the log, unless SQLite has restarted that since.
  const state = readLogState(path);
  let file: number;
  try {
    file = openSync(`${path}-wal`, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return sound;
    throw error;
  }
  try {
    let earlier: Suspicion | undefined;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const found = readLog(file, path, state);
      if (!('frame' in found)) return found;
      if (earlier?.header && found.frame === earlier.frame && found.header?.equals(earlier.header)) {
        return { isDamaged: true, missingPages: 0 };
      }
      earlier = found;
    }
    return sound;
  } finally {
    closeSync(file);
  }
}

/** The first bad frame with commits behind it, and the header under which it was found. */
interface Suspicion {
  frame: number;
  /** Undefined when SQLite restarted the log during the pass: the frames are of two logs and prove nothing. */
  header: Buffer | undefined;
}

function readLog(file: number, path: string, state: LogState | undefined): LogReport | Suspicion {
  if (fstatSync(file).size <= headerBytes) return sound;
  const sizeBefore = statSync(path).size;
  const bytes = readHeaderBytes(file);
  const header = readHeader(bytes);
  const read = header && readSound(file, header, sizeBefore);
  const frame = read?.frame ?? 0;
  if (findAcknowledged(file, header, frame) || isShort(frame, header, state)) {
    return { frame, header: readHeaderBytes(file).equals(bytes) ? bytes : undefined };
  }
  if (!header || !read) return sound;
  // Last, so that pages which a checkpoint moves from the log to the file meanwhile are in one of them.
  const pagesInFile = Math.floor(statSync(path).size / header.pageSize);
  // The file was emptied: SQLite writes its first page before it begins a log, but would remove the log of an empty file.
  if (pagesInFile === 0 && read.pageCount > 0) return { isDamaged: true, missingPages: 0 };
  let missingPages = 0;
  for (let page = pagesInFile + 1; page <= read.pageCount; page++) {
    if (!read.pagesPast.has(page) && page !== lockByte / header.pageSize + 1) missingPages += 1;
  }
  return { isDamaged: false, missingPages };
}

/** Whether synced frames are missing at the end: they were cut off, or the first of them is damaged. */
function isShort(frames: number, header: LogHeader | undefined, state: LogState | undefined): boolean {
  if (!header || state?.salts !== header.salts) return false;
  return frames < state.frames && state.copiedFrames < state.frames;
}

function readHeaderBytes(file: number): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  readSync(file, bytes, 0, headerBytes, 0);
  return bytes;
}

/** Reads up to the first bad frame. */
function readSound(file: number, header: LogHeader, databaseBytes: number) {
  const reader = new FrameReader(file, header);
  const pagesPast = new Set<number>();
  let pageCount = 0;
  let frame = 0;
  let sums = header.sums;
  for (; ; frame++) {
    const found = reader.read(frame);
    if (!found?.hasSalts(header.salts) || !found.follows(sums)) break;
    sums = found.sums;
    if (found.commitPages > 0) pageCount = found.commitPages;
    if (found.page * header.pageSize > databaseBytes) pagesPast.add(found.page);
  }
  return { frame, pageCount, pagesPast };
}
