import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The descriptors by which this process listens on a port; none where they cannot be found. */
export function findListeningSockets(port: number): number[] {
  if (process.platform !== 'linux') return [];
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeningInodes(table, port)));
  const descriptors = orElse([], () => readdirSync('/proc/self/fd'));
  // The descriptor of the directory listing itself is closed by now.
  return descriptors
    .filter((name) => sockets.has(orElse('', () => readlinkSync(`/proc/self/fd/${name}`))))
    .map(Number);
}

const listening = '0A';

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
