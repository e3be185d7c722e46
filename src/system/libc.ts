import { dlopen, type FFIFunction, type Library } from 'bun:ffi';

/** The file names of glibc and musl. */
const names = ['libc.so.6', `libc.musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`];

/** Opens functions of the C library that the runtime does not offer; undefined where there is none. */
export function openLibc<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions> | undefined {
  for (const name of names) {
    try {
      return dlopen(name, functions);
    } catch {
      // Try the next name.
    }
  }
  return undefined;
}
