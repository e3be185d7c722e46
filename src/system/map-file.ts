import { openSync } from 'node:fs';
import { dlopen, toArrayBuffer } from 'bun:ffi';

/** The file names of glibc and musl. */
const libraries = ['libc.so.6', `libc.musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`];
const readable = 1;
const shared = 1;
const failed = 2n ** 64n - 1n;

/**
 * Maps the first bytes of a file that something else in this process has open and writes to. Returns undefined if this
 * system cannot.
 *
 * The descriptor stays open on purpose: POSIX drops every lock that a process holds on a file as soon as it closes any
 * descriptor of it, and SQLite locks the mapped file.
 */
export function mapFile(path: string, length: number): ArrayBuffer | undefined {
  const mmap = process.platform === 'linux' ? openMmap() : undefined;
  const address = mmap?.(null, length, readable, shared, openSync(path, 'r'), 0) ?? null;
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
