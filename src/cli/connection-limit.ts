import { ptr } from 'bun:ffi';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { openLibc } from '../libc.ts';
import { findListeningSocket } from './stop-accepting.ts';

export interface ConnectionLimit {
  /** Lets the process open as much as the machine allows, before it ends. */
  lift(): void;
}

/** Descriptors that the store and the runtime may still open besides those of connections. */
const spare = 16;
const lookEveryMs = 100;
/** `RLIMIT_NOFILE` of Linux. */
const openFiles = 7;
const modify = 3;
const readable = 1;

/**
 * Serves so many connections at once and lets further callers wait in the queue of the kernel until one leaves. The
 * runtime has no setting for this. What holds the line is the process's own limit of descriptors. At that limit the
 * runtime tries to accept without pause, with a whole core, and nothing else could open a file; so a full house is
 * noticed by a look ten times a second: the listening socket is taken out of the event loop and the limit raised, until
 * there is a free place. Elsewhere than on Linux nothing is done.
 */
export function limitConnections(port: number, maxConnections: number): ConnectionLimit | undefined {
  if (process.platform !== 'linux') return undefined;
  const door = findDoor(port);
  const libc = openLibc({
    getrlimit: { args: ['i32', 'ptr'], returns: 'i32' },
    setrlimit: { args: ['i32', 'ptr'], returns: 'i32' },
    epoll_ctl: { args: ['i32', 'i32', 'i32', 'ptr'], returns: 'i32' },
  })?.symbols;
  if (!door || !libc) return undefined;
  const limits = new BigUint64Array(2);
  libc.getrlimit(openFiles, ptr(limits));
  const most = limits[1] ?? 0n;
  const highest = Math.max(...readdirSync('/proc/self/fd').map(Number));
  // The kernel limits the number of a descriptor, which is always the lowest that is free.
  const wanted = BigInt(highest + 1 + spare + maxConnections);
  const limit = wanted + BigInt(spare) < most ? wanted : most - BigInt(spare);
  if (limit <= highest + spare) return undefined;
  const allow = (count: bigint) => {
    limits[0] = count;
    libc.setrlimit(openFiles, ptr(limits));
  };
  const listenFor = (events: number) =>
    libc.epoll_ctl(door.loop, modify, door.socket, ptr(epollEvent(events, door.data)));

  let isFull = false;
  const look = (): void => {
    const hasRoom = nextDescriptor() < limit;
    if (hasRoom === !isFull) return;
    isFull = !hasRoom;
    if (isFull) {
      listenFor(0);
      allow(most);
    } else {
      allow(limit);
      listenFor(readable);
    }
  };
  allow(limit);
  const looking = setInterval(look, lookEveryMs).unref();
  return {
    lift() {
      clearInterval(looking);
      allow(most);
    },
  };
}

/** The listening socket, and how the event loop waits for it. */
interface Door {
  socket: number;
  loop: number;
  data: bigint;
}

/** See proc_pid_fdinfo(5): the descriptors for which an event loop waits, each with the value that it gets back. */
function findDoor(port: number): Door | undefined {
  const socket = findListeningSocket(port);
  if (socket === undefined) return undefined;
  const line = new RegExp(`^tfd: *${socket} events: *[0-9a-f]+ data: *([0-9a-f]+)`, 'm');
  for (const loop of readdirSync('/proc/self/fdinfo').map(Number)) {
    const [, data] = line.exec(describeDescriptor(loop)) ?? [];
    if (data !== undefined) return { socket, loop, data: BigInt(`0x${data}`) };
  }
  return undefined;
}

function describeDescriptor(descriptor: number): string {
  try {
    return readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
  } catch {
    // The listing itself had a descriptor, which is closed by now.
    return '';
  }
}

/** `struct epoll_event`, which is packed on x86-64 alone. */
function epollEvent(events: number, data: bigint): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, events, true);
  view.setBigUint64(process.arch === 'x64' ? 4 : 8, data, true);
  return bytes;
}

/** The number that the next connection would get; infinite when there is none left. */
function nextDescriptor(): number {
  try {
    const descriptor = openSync('/dev/null', 'r');
    closeSync(descriptor);
    return descriptor;
  } catch {
    return Infinity;
  }
}
