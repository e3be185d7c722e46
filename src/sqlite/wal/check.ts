import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { readLogState, type LogState } from './header.ts';
import { FrameReader, findAcknowledged, headerBytes, readHeader, type LogHeader } from './frames.ts';

/** What SQLite will not tell: it takes the first frame with a wrong checksum for the end of the log. */
export interface LogReport {
  /** Commits that were synced lie behind a frame that is not as it was written, or behind such a header. */
  isDamaged: boolean;
  /** Pages that are neither in the database file nor in the log. Only unused ones may be. */
  missingPages: number;
}

/** If the log keeps changing while we read it, another process is writing; then the check is skipped. */
const maxAttempts = 10;
/** The page at this offset is never written: SQLite keeps its locks there. */
const lockByte = 0x40000000;

/**
 * Reads the log as SQLite would on its recovery, and further. Where SQLite's shared memory is left from before, it says
 * how long the log was; it is not synced, but after a power cut it may only be older than the log. A crash or a power
 * cut leaves a damaged end: the last transaction, or the rest of one. Behind the damage there is no frame that follows upon a commit, since each commit
 * is synced before the next one is written. Where there is one, acknowledged pets would be forgotten in silence.
 *
 * Others may write while we look. A frame that is being written, or a log that is begun anew, looks damaged for a
 * moment: only what two looks find at the same place under the same header is damage. At the second look, that place
 * was complete, because what follows upon it was there at the first.
 *
 * The database file is not opened: to close it would drop the locks that this process holds on it.
 */
export function checkLog(path: string): LogReport {
  // Read before the log: what it says is in the log, unless that has been begun anew since.
  const state = readLogState(path);
  let file: number;
  try {
    file = openSync(`${path}-wal`, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { isDamaged: false, missingPages: 0 };
    throw error;
  }
  try {
    let earlier: Suspicion | undefined;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const found = look(file, path, state);
      if (!('frame' in found)) return found;
      if (earlier?.header && found.frame === earlier.frame && found.header?.equals(earlier.header)) {
        return { isDamaged: true, missingPages: 0 };
      }
      earlier = found;
    }
    return { isDamaged: false, missingPages: 0 };
  } finally {
    closeSync(file);
  }
}

/** The first frame that is not sound though commits follow, and the header under which it was found. */
interface Suspicion {
  frame: number;
  /** Undefined when the log was begun anew during the look: what was read is of two logs, and says nothing. */
  header: Buffer | undefined;
}

function look(file: number, path: string, state: LogState | undefined): LogReport | Suspicion {
  if (fstatSync(file).size <= headerBytes) return { isDamaged: false, missingPages: 0 };
  const sizeBefore = statSync(path).size;
  const bytes = readHeaderBytes(file);
  const header = readHeader(bytes);
  const sound = header && readSound(file, header, sizeBefore);
  const frame = sound?.frame ?? 0;
  if (findAcknowledged(file, header, frame) || isShort(frame, header, state)) {
    return { frame, header: readHeaderBytes(file).equals(bytes) ? bytes : undefined };
  }
  if (!header || !sound) return { isDamaged: false, missingPages: 0 };
  // Asked for last: what a checkpoint has moved from the log to the file meanwhile is in one of both.
  const pagesInFile = Math.floor(statSync(path).size / header.pageSize);
  // SQLite removes the log of an empty file, but no log is begun before the file has its first page.
  if (pagesInFile === 0 && sound.pageCount > 0) return { isDamaged: true, missingPages: 0 };
  let missingPages = 0;
  for (let page = pagesInFile + 1; page <= sound.pageCount; page++) {
    if (!sound.pagesPast.has(page) && page !== lockByte / header.pageSize + 1) missingPages += 1;
  }
  return { isDamaged: false, missingPages };
}

/** Frames that were synced are missing at the end: they were cut off, or the first of them is damaged. */
function isShort(frames: number, header: LogHeader | undefined, state: LogState | undefined): boolean {
  if (!header || state?.salts !== header.salts) return false;
  return frames < state.frames && state.copiedFrames < state.frames;
}

function readHeaderBytes(file: number): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  readSync(file, bytes, 0, headerBytes, 0);
  return bytes;
}

/** Reads as far as the checksums are right. */
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
