import { dlopen, type FFIFunction, type Library } from 'bun:ffi';

/** As the GNU library and as musl call themselves. */
const names = ['libc.so.6', `libc.musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`];

/** Functions of the C library of Linux, for what the runtime has no call for; undefined where it is not found. */
export function openLibc<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions> | undefined {
  for (const name of names) {
    try {
      return dlopen(name, functions);
    } catch {
      // The next name, then.
    }
  }
  return undefined;
}
