import { join } from 'node:path';
import { freePort } from '../../test/support/http/free-port.ts';
import { coreLayout, endFamily, makeFolder, pin, readOnce, started } from '../load/processes.ts';
import { workloadOf, type Workload } from '../load/workloads.ts';
import type { Cell } from '../report/results.ts';
import { contestantOf, type Contestant } from './contestants.ts';
import type { HttpRequest } from './spelling.ts';

/** Where a contestant finds its pets, and the API key that it accepts. */
export interface Place extends AsyncDisposable {
  place: string;
  key: string;
  /** The processes of PostgreSQL that work for this contestant alone. */
  sessions?: () => Promise<number[]>;
}

export interface Setting {
  open: (contestant: Contestant, workload: Workload, pets: number, checkout: string) => Promise<Place>;
  /** The environment that slows down syncs. */
  slowDisk?: Record<string, string> | undefined;
  connections?: number;
  checkout?: string;
}

type HeaderFields = Record<string, string>;
type Server = { url: string; headers: HeaderFields };
export type Running = Awaited<ReturnType<typeof startContestant>>;

const ownCheckout = join(import.meta.dir, '../..');
const [startWithinMs, respondWithinMs] = [60_000, 30_000];

/** Starts a contestant on its own copy of the data, and makes the requests that it is going to get. */
export async function startContestant(cell: Cell, setting: Setting) {
  const { open, slowDisk, connections = 1, checkout = ownCheckout } = setting;
  const [contestant, workload] = [contestantOf(cell.contestant), workloadOf(cell.workload)];
  const { server: cores, load: loadCores } = coreLayout();
  await using stack = new AsyncDisposableStack();
  const { place, key, sessions } = stack.use(await open(contestant, workload, cell.pets, checkout));
  if (contestant.data === 'service' && !workload.isCold) await readOnce(place);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = contestant.start({ ...cell, port, place, key, checkout });
  // None of the caller's own settings reaches a contestant.
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...(workload.isOnSlowDisk && slowDisk), ...start.env };
  const startedAt = performance.now();
  const child = started(Bun.spawn(pin(cores, start.command), { env, stdio: ['ignore', 'ignore', 'pipe'] }));
  const complaints = child.stderr.text();
  stack.defer(async () => {
    endFamily(child);
    await child.exited;
  });
  let headers: HeaderFields | undefined;
  while (!(headers = await signIn(contestant, url, key).catch(() => undefined))) {
    if (child.exitCode !== null || performance.now() > startedAt + startWithinMs) {
      endFamily(child);
      throw new Error(`${contestant.name} did not start: ${(await complaints).slice(-2000)}`);
    }
    await Bun.sleep(2);
  }
  /** From the start of the process to its first good response. */
  const readyMs = performance.now() - startedAt;
  const requests = workload.requests(contestant.spelling, cell.pets);
  await checkFirst({ url, headers }, requests[0]!);
  /** The same requests as wrk.lua reads them. */
  const requestsFile = join(stack.use(makeFolder()).path, 'requests.tsv');
  const lines = requests.map(({ method, path, body = '' }) => `${method}\t${path}\t${body}\n`);
  await Bun.write(requestsFile, lines.join(''));
  const owned = stack.move();
  return {
    ...{ url, headers, pid: child.pid, readyMs, place, sessions },
    ...{ requests, requestsFile, connections, loadCores },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export function send(server: Server, { method, path, body = null }: HttpRequest): Promise<Response> {
  // Content-Type is sent with a body alone, as callers do.
  const headers = { ...server.headers, ...(body !== null && { 'Content-Type': 'application/json' }) };
  const signal = AbortSignal.timeout(respondWithinMs);
  return fetch(`${server.url}${path}`, { method, headers, body, signal, keepalive: false });
}

/** The header of a caller whose list is accepted. */
async function signIn({ spelling }: Contestant, url: string, key: string) {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await send({ url, headers }, spelling.list({}));
  await response.text();
  if (response.status >= 400) throw new Error(`The list responded ${response.status}.`);
  return headers;
}

/** Makes sure that the right response is measured, not a fast error. */
async function checkFirst(server: Server, request: HttpRequest): Promise<void> {
  const response = await send(server, request);
  const [text, { status }] = [await response.text(), response];
  const isGood = status < 400 && (status !== 200 || text.includes('"Pet '));
  if (!isGood) throw new Error(`${request.method} ${request.path}: ${status} ${text.slice(0, 500)}`);
}
