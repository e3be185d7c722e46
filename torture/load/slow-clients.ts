import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { post } from '../../test/support/http/calls.ts';
import { fixedKey, type Service } from '../../test/support/process/process.ts';
import { peakMemoryMb } from '../../test/support/process/process-figures.ts';
import { percentile, round } from '../../test/support/statistics.ts';
import { againstBroken } from '../support/against-broken.ts';
import { failures, startCallers } from '../support/callers.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const head = `Host: petstore\r\nAuthorization: Bearer ${fixedKey}\r\n`;
/** What each kind sends at first, and then again and again. */
const kinds = {
  'slow headers': { first: `GET /v1/pets HTTP/1.1\r\n${head}`, then: 'X-More: more\r\n' },
  'slow body': {
    first: `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{`,
    then: ' ',
  },
  /** Asks for page after page until they fill the buffers of the system, and reads none of them. */
  'slow reader': { first: longPage(0), then: '' },
  idle: { first: `GET /livez HTTP/1.1\r\n${head}\r\n`, then: '' },
} as const;
type Kind = keyof typeof kinds;

const longestName = 255;
/** A response of which nothing more leaves the service for so long waits for its reader. */
const stuckAfterMs = 1000;
/** Each takes some 4 MB, and the system has not much more for the sockets of all. */
const mostFullReaders = 100;
const dripEveryMs = 2000;
const dropWithinMs = 15_000;
/** Long enough to see who is still there well after everybody should be gone. */
const watchMs = dropWithinMs + 3000;
/** Where times are not judged. */
const patientWatchMs = 20_000;
const memoryBoundMb = 512;

const run: Run = async ({ rounds, report, broken, isTimed = true }) => {
  await using service = await serve({ broken });
  await fill(service);
  const path = () => '/v1/pets?limit=1';
  const honest = startCallers({ urls: () => [service.url], callers: 8, pauseMs: 20, path });
  await Bun.sleep(500);
  using slow = await openSlow(Number(new URL(service.url).port), rounds);
  report(`${rounds} slow connections are open, ${slow.fullReaders} of them with full buffers`);
  const droppedAfterMs = await slow.watch(isTimed ? watchMs : patientWatchMs);
  await honest.stop();
  const memory = peakMemoryMb([service.pid]);

  const success = 1 - failures(honest) / honest.requests;
  const kept = rounds - droppedAfterMs.length;
  const slowest = Math.max(0, ...droppedAfterMs);
  return {
    figures: {
      'slow connections': rounds,
      'full buffers': slow.fullReaders,
      'honest calls': honest.requests,
      'honest success, %': round(success * 100, 3),
      'honest p99, ms': round(percentile(honest.latenciesMs, 0.99)),
      'last dropped after s': round(slowest / 1000),
      'never dropped': kept,
      'memory, MiB': round(memory, 0),
    },
    faults: [
      ...(isTimed && slow.fullReaders === 0 ? ['no slow reader filled its buffers'] : []),
      ...(success < 0.999
        ? [
            `only ${round(success * 100, 2)} % of honest calls succeeded (${[...honest.failed.keys()].slice(0, 3).join(', ')})`,
          ]
        : []),
      ...(kept > 0 ? [`${kept} slow connections were never dropped`] : []),
      ...(memory > memoryBoundMb ? [`memory grew to ${round(memory, 0)} MiB`] : []),
      ...(isTimed && slowest > dropWithinMs
        ? [`a slow connection was dropped after ${round(slowest / 1000)} s`]
        : []),
    ],
  };
};

/** After a small one for the honest, the longest pages there can be: JSON escapes each character with six bytes. */
async function fill(service: Service): Promise<void> {
  await service.call('/v1/pets', post({ name: 'small', categoryId: 1 }));
  const body = post({ name: '\u0001'.repeat(longestName), categoryId: 1 });
  await Promise.all(Array.from({ length: 100 }, () => service.call('/v1/pets', body)));
}

interface Slow extends Disposable {
  /** How many slow readers have filled the buffers of the system, so that the rest of a page waits in the service. */
  fullReaders: number;
  /** After how long the service dropped each connection that it dropped. */
  watch(forMs: number): Promise<number[]>;
}

async function openSlow(port: number, count: number): Promise<Slow> {
  const names = Object.keys(kinds) as Kind[];
  const connections = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const kind = names[index % names.length]!;
      const socket = await open(port, kind, kinds[kind].first);
      return { kind, socket, port: socket.localPort ?? 0, openedAt: performance.now() };
    }),
  );
  const readers = connections.filter(({ kind }) => kind === 'slow reader');
  const fullReaders = await fillBuffers(port, readers.slice(0, mostFullReaders));
  const dripping = setInterval(() => {
    for (const { kind, socket } of connections) if (kinds[kind].then !== '') socket.write(kinds[kind].then);
  }, dripEveryMs);
  return {
    fullReaders,
    async watch(forMs) {
      const times: number[] = [];
      let left = connections;
      for (const deadline = performance.now() + forMs; left.length > 0 && performance.now() < deadline;) {
        await Bun.sleep(200);
        const connected = heldBytes(port);
        for (const { port: own, openedAt } of left)
          if (!connected.has(own)) times.push(performance.now() - openedAt);
        left = left.filter(({ port: own }) => connected.has(own));
      }
      return times;
    },
    [Symbol.dispose]() {
      clearInterval(dripping);
      for (const { socket } of connections) socket.destroy();
    },
  };
}

/** The least that a page has: its names, of six bytes a character. */
function pageBytes(limit: number): number {
  return limit * longestName * 6;
}

/** Not the same for all, so that one page in memory does not serve everybody. */
function limitOf(turn: number): number {
  return 100 - (turn % 11);
}

function longPage(turn: number): string {
  return `GET /v1/pets?limit=${limitOf(turn)} HTTP/1.1\r\n${head}\r\n`;
}

/** Each asks for the next page once the system holds the last one. The runtime would not take it sooner. */
async function fillBuffers(port: number, readers: { socket: Socket; port: number; openedAt: number }[]) {
  let asking = readers.map((reader) => ({ reader, turn: 0, heldBytes: 0 }));
  let full = 0;
  while (asking.length > 0) {
    await Bun.sleep(20);
    const held = heldBytes(port);
    for (const each of asking) {
      const bytes = held.get(each.reader.port);
      if (bytes === undefined || bytes - each.heldBytes < pageBytes(limitOf(each.turn))) continue;
      each.turn += 1;
      each.heldBytes = bytes;
      each.reader.socket.write(longPage(each.turn));
      each.reader.openedAt = performance.now();
    }
    const stuck = asking.filter(({ reader }) => performance.now() - reader.openedAt > stuckAfterMs);
    full += stuck.filter(({ reader, turn }) => turn > 0 && held.has(reader.port)).length;
    asking = asking.filter((each) => !stuck.includes(each));
  }
  return full;
}

/** The states of `/proc/net/tcp` in which the service still holds a connection open. */
const openStates = new Set(['01', '08']);

/**
 * How many bytes the system holds for each caller whose connection to this port the service has not closed, by the
 * caller's port: the service's own view of them.
 */
function heldBytes(port: number): Map<number, number> {
  const lines = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  const rows = lines.map((line) =>
    line
      .trim()
      .split(/\s+/)
      .flatMap((column) => column.split(':')),
  );
  const held = new Map<number, number>();
  for (const [, , , local = '', , remote = '', state = '', sending = ''] of rows)
    if (parseInt(local, 16) === port && openStates.has(state))
      held.set(parseInt(remote, 16), parseInt(sending, 16));
  for (const [, , , local = '', , remote = '', , , received = ''] of rows) {
    const sent = held.get(parseInt(local, 16));
    if (parseInt(remote, 16) === port && sent !== undefined)
      held.set(parseInt(local, 16), sent + parseInt(received, 16));
  }
  return held;
}

function open(port: number, kind: Kind, first: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  if (kind === 'slow reader') socket.pause();
  else socket.resume();
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.write(first);
      resolve(socket);
    });
    socket.once('close', () => resolve(socket));
  });
}

export const slowClients: TortureTest = {
  name: 'slow-clients',
  description:
    'slow headers, slow bodies, slow readers and idle connections, 2,000 at once, beside honest callers',
  passesWhen: `≥ 99.9 % of honest calls succeed; a slow connection is dropped within 15 s; memory below ${memoryBoundMb} MiB`,
  rounds: 2000,
  unit: 'connections',
  run,
  control: {
    description: 'a connection may be idle forever',
    rounds: 800,
    run: againstBroken(run, 'no-idle-timeout'),
  },
};
