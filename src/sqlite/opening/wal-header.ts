import { endianness } from 'node:os';
import { mapFile } from '../../system/map-file.ts';

const headerBytes = 48;
/** Offsets in 32-bit words: the count of commits, and the header's own checksum, which covers the state of the log. */
export const [changesAt, checksumAt] = [2, 10];

/**
 * Maps the header of SQLite's shared memory, which every commit of any process rewrites. Reading it then costs nothing.
 * Its format is fixed: https://sqlite.org/walformat.html.
 * A connection of this process must have read the store, which proves that this is the file SQLite uses.
 */
export function mapWalHeader(path: string): Uint32Array | undefined {
  const bytes = endianness() === 'LE' ? mapFile(`${path}-shm`, headerBytes) : undefined;
  return bytes && new Uint32Array(bytes);
}
