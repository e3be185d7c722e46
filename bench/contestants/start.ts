import { join } from 'node:path';
import { freePort } from '../../test/support/http/free-port.ts';
import { endFamily, makeFolder, started } from '../load/processes.ts';
import { coreLayout, pin } from '../load/processes.ts';
import { workloadOf, type Workload } from '../load/workloads.ts';
import type { Cell } from '../report/results.ts';
import { contestantOf, type Contestant } from './contestants.ts';
import { bodyHeaders, type HttpRequest } from './spelling.ts';

/** Where a contestant finds its pets, and the API key that it accepts. */
export interface Place extends AsyncDisposable {
  place: string;
  key: string;
}

export interface Setting {
  open: (contestant: Contestant, workload: Workload, pets: number, checkout: string) => Promise<Place>;
  /** The environment that slows down syncs. */
  slowDisk?: Record<string, string> | undefined;
  connections?: number;
  checkout?: string;
}

/** A contestant that serves its own copy of the data, and the requests that it is going to get. */
export interface Running extends AsyncDisposable {
  url: string;
  pid: number;
  /** From the start of the process to its first good response. */
  readyMs: number;
  headers: Record<string, string>;
  requests: readonly HttpRequest[];
  /** The same requests as wrk.lua reads them. */
  requestsFile: string;
  connections: number;
  loadCores: number[];
}

export const ownCheckout = join(import.meta.dir, '../..');
const [startWithinMs, respondWithinMs] = [60_000, 30_000];

export async function startContestant(cell: Cell, setting: Setting): Promise<Running> {
  const { open, slowDisk, connections = 1, checkout = ownCheckout } = setting;
  const [contestant, workload] = [contestantOf(cell.contestant), workloadOf(cell.workload)];
  const { server: cores, load: loadCores } = coreLayout(cell.processes);
  await using stack = new AsyncDisposableStack();
  const { place, key } = stack.use(await open(contestant, workload, cell.pets, checkout));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const withEtag = workload.isConditional ?? false;
  const start = contestant.start({ ...cell, port, place, key, withEtag, checkout });
  const startedAt = performance.now();
  // None of the caller's own settings reaches a contestant.
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...(workload.isOnSlowDisk && slowDisk), ...start.env };
  const child = started(Bun.spawn(pin(cores, start.command), { env, stdio: ['ignore', 'ignore', 'pipe'] }));
  const complaints = child.stderr.text();
  stack.defer(async () => {
    endFamily(child);
    await child.exited;
  });
  /** Waits for a response below that status. */
  const untilResponse = async (
    path: string,
    headers: Record<string, string>,
    below: number,
  ): Promise<void> => {
    while (performance.now() < startedAt + startWithinMs && child.exitCode === null) {
      const status = await fetch(`${url}${path}`, { headers, keepalive: false }).then(
        (response) => response.text().then(() => response.status),
        () => 600,
      );
      if (status < below) return;
      await Bun.sleep(2);
    }
    endFamily(child);
    throw new Error(`${contestant.name} did not start: ${(await complaints).slice(-2000)}`);
  };
  if (contestant.authorize) await untilResponse('/', {}, 600);
  const credential = contestant.authorize ? await contestant.authorize(url) : key;
  const headers = { Authorization: `Bearer ${credential}` };
  await untilResponse(contestant.spelling.list({}).path, headers, 400);
  const readyMs = performance.now() - startedAt;
  const requests = workload.requests(contestant.spelling, cell.pets);
  const condition = await checkFirst({ url, headers }, requests[0]!, workload);
  const requestsFile = join(stack.use(makeFolder()).path, 'requests.tsv');
  const lines = requests.map(({ method, path, body = '' }) => `${method}\t${path}\t${body}\n`);
  await Bun.write(requestsFile, lines.join(''));
  const owned = stack.move();
  return {
    ...{ url, pid: child.pid, readyMs, requests, requestsFile, connections, loadCores },
    headers: { ...headers, ...condition },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export function send(
  { url, headers }: Pick<Running, 'url' | 'headers'>,
  { method, path, body }: HttpRequest,
): Promise<Response> {
  const ofBody = body === undefined ? {} : { ...bodyHeaders };
  const signal = AbortSignal.timeout(respondWithinMs);
  return fetch(`${url}${path}`, { method, headers: { ...headers, ...ofBody }, body: body ?? null, signal });
}

/** Makes sure that the right response is measured, not a fast error. Returns the header that makes it a 304. */
async function checkFirst(
  server: Pick<Running, 'url' | 'headers'>,
  request: HttpRequest,
  { isConditional }: Workload,
): Promise<Record<string, string>> {
  const response = await send(server, request);
  const text = await response.text();
  // PocketBase responds to a caller without rights with an empty list, not with an error.
  const hasPets = response.status !== 200 || text.includes('"Pet ');
  const isGood = response.status < 400 && hasPets;
  if (!isGood) throw new Error(`${request.method} ${request.path}: ${response.status} ${text.slice(0, 500)}`);
  if (!isConditional) return {};
  const condition = { 'If-None-Match': response.headers.get('ETag') ?? '' };
  const { status } = await send({ ...server, headers: { ...server.headers, ...condition } }, request);
  if (status !== 304) throw new Error(`${request.path} responded ${status} to its own ETag.`);
  return condition;
}
