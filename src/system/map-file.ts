import { fstatSync, openSync, readdirSync } from 'node:fs';
import { dlopen, toArrayBuffer } from 'bun:ffi';

/** The file names of glibc and musl. */
const libraries = ['libc.so.6', `libc.musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`];
const readable = 1;
const shared = 1;
const failed = 2n ** 64n - 1n;

/** Descriptors opened by this module. */
const mapped = new Set<number>();

/**
 * Maps the first bytes of a file that something else in this process has open and writes to. Returns undefined without
 * proof of that, because a file that nobody writes to would never show a change.
 *
 * The descriptor stays open on purpose: POSIX drops every lock that a process holds on a file as soon as it closes any
 * descriptor of it, and SQLite locks the mapped file.
 */
export function mapFile(path: string, length: number): ArrayBuffer | undefined {
  const mmap = process.platform === 'linux' ? openMmap() : undefined;
  if (!mmap) return undefined;
  const file = openExisting(path);
  if (file === undefined) return undefined;
  mapped.add(file);
  if (!isOpenElsewhere(file)) return undefined;
  const address = mmap(null, length, readable, shared, file, 0);
  if (address === null || BigInt(address) === failed) return undefined;
  return toArrayBuffer(address, 0, length);
}

function openMmap() {
  for (const library of libraries) {
    try {
      const { symbols } = dlopen(library, {
        mmap: { args: ['ptr', 'u64', 'i32', 'i32', 'i32', 'i64'], returns: 'ptr' },
      });
      return symbols.mmap;
    } catch {
      // Try the next name.
    }
  }
  return undefined;
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

/** Whether a descriptor that is not ours leads to this file. */
function isOpenElsewhere(file: number): boolean {
  const { dev, ino } = fstatSync(file, { bigint: true });
  return openDescriptors().some((descriptor) => {
    if (mapped.has(descriptor)) return false;
    try {
      const stats = fstatSync(descriptor, { bigint: true });
      return stats.dev === dev && stats.ino === ino;
    } catch {
      // The descriptor of the listing itself is already closed.
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
