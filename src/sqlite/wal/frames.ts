/** The format of SQLite's log: https://sqlite.org/fileformat2.html#the_write_ahead_log */

import { readSync, statSync } from 'node:fs';

export const headerBytes = 32;
const frameHeaderBytes = 24;
const chunkBytes = 1024 * 1024;

/** Two running sums over everything before: each frame proves that it follows the one before it. */
type Sums = readonly [number, number];

interface FrameFormat {
  pageSize: number;
  /** How the sums read their input: in the byte order of the machine that began the log. */
  isLittleEndian: boolean;
}

export interface LogHeader extends FrameFormat {
  /** New whenever SQLite restarts the log. Frames with other salts are leftovers. */
  salts: bigint;
  sums: Sums;
}

/** Whether a log holds anything but its header. */
export function holdsFrames(log: string): boolean {
  return (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > headerBytes;
}

/** Undefined when it is damaged. */
export function readHeader(bytes: Buffer): LogHeader | undefined {
  const magic = bytes.readUInt32BE(0);
  if (magic !== 0x377f0682 && magic !== 0x377f0683) return undefined;
  const isLittleEndian = magic === 0x377f0682;
  const view = new DataView(bytes.buffer, bytes.byteOffset, headerBytes);
  const sums = addUp(view, 0, 24, isLittleEndian, [0, 0]);
  if (sums[0] !== view.getInt32(24) || sums[1] !== view.getInt32(28)) return undefined;
  return { pageSize: view.getUint32(8), isLittleEndian, salts: view.getBigUint64(16), sums };
}

/** Reads frames in order, a chunk at a time. A frame is valid until the next one is read. */
export class FrameReader {
  readonly #file: number;
  readonly #format: FrameFormat;
  readonly #frameBytes: number;
  readonly #chunk: DataView;
  #firstFrame = 0;
  #frameCount = 0;

  constructor(file: number, format: FrameFormat) {
    this.#file = file;
    this.#format = format;
    this.#frameBytes = frameHeaderBytes + format.pageSize;
    const framesPerChunk = Math.ceil(chunkBytes / this.#frameBytes);
    this.#chunk = new DataView(new ArrayBuffer(framesPerChunk * this.#frameBytes));
  }

  /** Undefined past the last whole frame. */
  read(frame: number): Frame | undefined {
    if (frame < this.#firstFrame || frame >= this.#firstFrame + this.#frameCount) {
      const place = headerBytes + frame * this.#frameBytes;
      const length = readSync(this.#file, this.#chunk, 0, this.#chunk.byteLength, place);
      this.#firstFrame = frame;
      this.#frameCount = Math.floor(length / this.#frameBytes);
    }
    if (this.#frameCount === 0) return undefined;
    return new Frame(this.#chunk, (frame - this.#firstFrame) * this.#frameBytes, this.#format);
  }
}

class Frame {
  readonly page: number;
  /** The size of the database in pages, if this frame ends a commit; otherwise 0. */
  readonly commitPages: number;
  readonly salts: bigint;
  /** As they are stored in the frame. */
  readonly sums: Sums;
  readonly #view: DataView;
  readonly #at: number;
  readonly #format: FrameFormat;

  constructor(view: DataView, at: number, format: FrameFormat) {
    this.#view = view;
    this.#at = at;
    this.#format = format;
    this.page = view.getUint32(at);
    this.commitPages = view.getUint32(at + 4);
    this.salts = view.getBigUint64(at + 8);
    this.sums = [view.getInt32(at + 16), view.getInt32(at + 20)];
  }

  hasSalts(salts: bigint): boolean {
    return this.salts === salts && this.page !== 0;
  }

  /** Whether it is sound, and follows a frame with these sums. */
  follows(before: Sums): boolean {
    const { isLittleEndian, pageSize } = this.#format;
    const start = addUp(this.#view, this.#at, 8, isLittleEndian, before);
    const sums = addUp(this.#view, this.#at + frameHeaderBytes, pageSize, isLittleEndian, start);
    return sums[0] === this.sums[0] && sums[1] === this.sums[1];
  }
}

/** Searches from this frame on for a commit and a sound frame that follows it, which proves that it was synced. */
export function findAcknowledged(file: number, header: LogHeader | undefined, frame: number): boolean {
  if (header) return findInFormat(file, header, frame, header.salts);
  // The header is damaged, so every format is tried.
  return [4096, 512, 1024, 2048, 8192, 16384, 32768, 65536].some((pageSize) =>
    [true, false].some((isLittleEndian) => findInFormat(file, { pageSize, isLittleEndian }, frame)),
  );
}

function findInFormat(file: number, format: FrameFormat, first: number, salts?: bigint): boolean {
  const reader = new FrameReader(file, format);
  let commit: { salts: bigint; sums: Sums } | undefined;
  for (let frame = first; ; frame++) {
    const found = reader.read(frame);
    if (!found) return false;
    if (commit && found.hasSalts(commit.salts) && found.follows(commit.sums)) return true;
    const isCommit = found.commitPages > 0 && found.hasSalts(salts ?? found.salts);
    commit = isCommit ? { salts: found.salts, sums: found.sums } : undefined;
  }
}

function addUp(view: DataView, from: number, length: number, isLittleEndian: boolean, before: Sums): Sums {
  let [first, second] = before;
  for (let at = from; at < from + length; at += 8) {
    first = (first + view.getInt32(at, isLittleEndian) + second) | 0;
    second = (second + view.getInt32(at + 4, isLittleEndian) + first) | 0;
  }
  return [first, second];
}
