import { ptr } from 'bun:ffi';
import { closeSync, openSync } from 'node:fs';
import { openLibc } from './libc.ts';

/**
 * Closes listening sockets while open connections are still served. `server.stop()` would also close every connection
 * without a request in progress, even if one is already on its way. The runtime offers no such call. Returns whether it
 * was done: without a C library or a free descriptor, nothing happens.
 */
export async function stopAccepting(sockets: readonly number[]): Promise<boolean> {
  if (sockets.length === 0) return false;
  // It takes the place of each socket, so that the runtime does not close another file under the same number. A socket
  // that is only shut down would stay in the event loop and wake it for ever.
  const nothing = openNothing();
  const libc = openLibc({
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
    dup3: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  });
  if (nothing === undefined || !libc) return false;
  const { getsockopt, dup3 } = libc.symbols;
  const info = new Uint32Array(tcpInfoBytes / 4);
  const size = new Uint32Array(1);
  /** Of a listening socket, `tcpi_unacked` is the number of connections that nobody has accepted yet. */
  const hasWaiting = (socket: number): boolean => {
    size[0] = tcpInfoBytes;
    return getsockopt(socket, tcpLevel, tcpInfo, ptr(info), ptr(size)) === 0 && info[unacked] !== 0;
  };
  for (const socket of sockets) {
    // The kernel resets the connections that wait to be accepted, so the door is closed while none does.
    for (let turn = 0; turn < maxTurns && hasWaiting(socket); turn++) await new Promise(setImmediate);
    dup3(nothing, socket, closeOnExec);
  }
  closeSync(nothing);
  libc.close();
  return true;
}

function openNothing(): number | undefined {
  try {
    return openSync('/dev/null', 'r');
  } catch {
    return undefined;
  }
}

const maxTurns = 1000;
const tcpLevel = 6;
const tcpInfo = 11;
const tcpInfoBytes = 104;
/** The position of `tcpi_unacked` in `struct tcp_info`, in words. */
const unacked = 6;
const closeOnExec = 0o2000000;
