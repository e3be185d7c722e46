import { ptr } from 'bun:ffi';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { openLibc } from './libc.ts';

/**
 * Shuts down the listening socket while open connections are still served. `server.stop()` would also close every
 * connection without a request in progress, even if one is already on its way. The runtime offers no such call. This is
 * best effort: if the socket is not found, nothing happens.
 */
export async function stopAccepting(port: number): Promise<void> {
  if (process.platform !== 'linux') return;
  const descriptor = findListeningSocket(port);
  if (descriptor === undefined) return;
  const libc = openLibc({
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
    shutdown: { args: ['i32', 'i32'], returns: 'i32' },
  });
  if (!libc) return;
  const { getsockopt, shutdown } = libc.symbols;
  const info = new Uint32Array(tcpInfoBytes / 4);
  const size = new Uint32Array(1);
  /** Of a listening socket, `tcpi_unacked` is the number of connections that nobody has accepted yet. */
  const hasWaiting = (): boolean => {
    size[0] = tcpInfoBytes;
    return getsockopt(descriptor, tcpLevel, tcpInfo, ptr(info), ptr(size)) === 0 && info[unacked] !== 0;
  };
  // The kernel resets the connections that wait to be accepted, so the door is closed while none does.
  for (let turn = 0; turn < maxTurns && hasWaiting(); turn++) await new Promise(setImmediate);
  shutdown(descriptor, bothDirections);
  libc.close();
}

const maxTurns = 1000;
const tcpLevel = 6;
const tcpInfo = 11;
const tcpInfoBytes = 104;
/** The position of `tcpi_unacked` in `struct tcp_info`, in words. */
const unacked = 6;
const bothDirections = 2;
const listening = '0A';

function findListeningSocket(port: number): number | undefined {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeningInodes(table, port)));
  const descriptors = orElse([], () => readdirSync('/proc/self/fd'));
  // The descriptor of the directory listing itself is closed by now.
  const found = descriptors.find((name) =>
    sockets.has(orElse('', () => readlinkSync(`/proc/self/fd/${name}`))),
  );
  return found === undefined ? undefined : Number(found);
}

/** The fields are described in proc_net_tcp(5); numbers are hexadecimal. */
function listeningInodes(table: string, port: number): string[] {
  // A host without IPv6 has no tcp6, a hardened host has neither, or the process is out of descriptors.
  return orElse('', () => readFileSync(`/proc/self/net/${table}`, 'utf8'))
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, local, , state]) => state === listening && Number.parseInt(local?.split(':')[1] ?? '', 16) === port,
    )
    .map((fields) => `socket:[${fields[9]}]`);
}

function orElse<Result>(fallback: Result, read: () => Result): Result {
  try {
    return read();
  } catch {
    return fallback;
  }
}
