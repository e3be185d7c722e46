import { toArrayBuffer } from 'bun:ffi';
import { existsSync, fstatSync, openSync, readdirSync } from 'node:fs';
import { endianness } from 'node:os';
import { openLibc } from '../../system/libc.ts';
import { readStart } from '../opening/store-file.ts';

const headerBytes = 48;
const formatVersion = 3_007_000;
/** Offsets in bytes. */
const [framesAt, saltsAt] = [16, 32];
/** Offsets in 32-bit words: the count of commits, and the header's own checksum, which covers the state of the log. */
export const [changesAt, checksumAt] = [2, 10];
const readable = 1;
const shared = 1;
const failed = 2n ** 64n - 1n;

/** The descriptors that this module has opened. */
const mapped = new Set<number>();

/**
 * Maps the header of SQLite's shared memory, which every commit of any process rewrites. Reading it then costs nothing.
 * Its format is fixed: https://sqlite.org/walformat.html.
 * A connection of this process must be open, which proves that this is the file SQLite uses. Undefined without that
 * proof, because a header that nobody writes would never show a commit.
 *
 * The descriptor stays open on purpose: POSIX drops every lock that a process holds on a file as soon as it closes
 * any descriptor of it, and SQLite's locks are on this one.
 */
export function mapWalIndex(path: string): Uint32Array | undefined {
  if (process.platform !== 'linux' || endianness() !== 'LE' || !existsSync(`${path}-shm`)) return undefined;
  const libc = openLibc({
    mmap: { args: ['ptr', 'u64', 'i32', 'i32', 'i32', 'i64'], returns: 'ptr' },
  });
  if (!libc) return undefined;
  const file = openSync(`${path}-shm`, 'r');
  mapped.add(file);
  if (!isOpenBySqlite(file)) return undefined;
  const address = libc.symbols.mmap(null, headerBytes, readable, shared, file, 0);
  if (address === null || BigInt(address) === failed) return undefined;
  return new Uint32Array(toArrayBuffer(address, 0, headerBytes));
}

/** What the shared memory, which outlives a crash, says about the log. */
export interface LogState {
  /** The same as in the log's header. */
  salts: bigint;
  /** Frames up to the last commit, all of them synced. */
  frames: number;
  /** Frames that a checkpoint has copied into the database file. */
  copiedFrames: number;
}

const readPaths = new Set<string>();

/**
 * Call it before the first connection, which rewrites the file. Undefined when it is missing, incomplete, or was read
 * before: this process may hold locks on it by now, and closing the descriptor would drop them.
 */
export function readLogState(path: string): LogState | undefined {
  if (readPaths.has(path) || endianness() !== 'LE') return undefined;
  readPaths.add(path);
  const bytes = readStart(`${path}-shm`, 2 * headerBytes + 4);
  const header = bytes?.subarray(0, headerBytes);
  if (!bytes || !header?.equals(bytes.subarray(headerBytes, 2 * headerBytes))) return undefined;
  if (header.readUInt32LE(0) !== formatVersion) return undefined;
  return {
    salts: header.readBigUInt64BE(saltsAt),
    frames: header.readUInt32LE(framesAt),
    copiedFrames: bytes.readUInt32LE(2 * headerBytes),
  };
}

/** Whether a descriptor that is not ours, and so SQLite's, leads to the same file. */
function isOpenBySqlite(file: number): boolean {
  const { dev, ino } = fstatSync(file, { bigint: true });
  return openDescriptors().some((descriptor) => {
    if (mapped.has(descriptor)) return false;
    try {
      const found = fstatSync(descriptor, { bigint: true });
      return found.dev === dev && found.ino === ino;
    } catch {
      // The descriptor of the listing itself is closed by now.
      return false;
    }
  });
}

function openDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}
