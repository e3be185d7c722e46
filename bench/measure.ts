import { contestantOf } from './contestants.ts';
import { coreLayout } from './cores.ts';
import { runConstantRate, runWrk, untilIdle, type Target, type Throughput } from './load.ts';
import type { Places } from './places.ts';
import { familyOf, peakMemoryMb } from './process-figures.ts';
import { bodyHeaders } from './requests.ts';
import type { Cell, LatencySample, Sample } from './results.ts';
import { startServer, type RunningServer } from './server.ts';
import type { SlowDisk } from './slow-disk.ts';
import type { Workload } from './workloads.ts';

export interface MeasureOptions {
  cell: Cell;
  workload: Workload;
  places: Places;
  slowDisk: SlowDisk | undefined;
  round: number;
  seconds: number;
  warmUpSeconds: number;
  latencySeconds: number;
  connections: number;
}

/** A load generator this busy, beside a server with time to spare, measures itself. */
const busyLoad = 0.9;
const busyServer = 0.95;
const backgroundConnections = 8;
const leadSeconds = 0.5;
const answerWithinMs = 30_000;

/** One round: a copy of the data, a fresh process, a warm-up, then as many requests as it takes. */
export function measureThroughput(options: MeasureOptions): Promise<Sample> {
  const { cell, round, warmUpSeconds } = options;
  const slow = contestantOf(cell.contestant).slow?.[cell.workload];
  const seconds = slow ?? options.seconds;
  return withServer(options, async ({ server, target, besides, isSeparate }) => {
    if (slow === undefined) {
      await runWrk(target, { seconds: warmUpSeconds, serverPid: server.pid });
      await untilIdle(server.pid);
    }
    // What runs beside runs during the whole of the load.
    const background = besides(seconds + 2 * leadSeconds);
    background.catch(() => {});
    if (options.workload.backgroundCreatesPerSecond !== undefined) await Bun.sleep(leadSeconds * 1000);
    // From the middle of the file: what the warm-up has asked is not asked again at once.
    const load = runWrk(target, { seconds, serverPid: server.pid, startAt: 0.5 });
    const throughput = await withBackground(load, background);
    const discarded = whyDiscarded(throughput, cell, isSeparate ? target.cores.length : Infinity);
    return {
      ...cell,
      round,
      ...throughput,
      cpuMicrosPerRequest: (throughput.serverCores * 1e6) / throughput.requestsPerSecond,
      peakMemoryMb: peakMemoryMb(familyOf(server.pid)),
      readyMs: server.readyMs,
      ...(discarded !== undefined && { discarded }),
    };
  });
}

/** The same, at a fixed rate, for latency. */
export function measureLatency(options: MeasureOptions, rate: number): Promise<LatencySample> {
  const { cell, round, latencySeconds: seconds, warmUpSeconds } = options;
  return withServer(options, async ({ target, besides }) => {
    const background = besides(warmUpSeconds + seconds);
    // PostgreSQL runs on the same cores, and would hardly get a turn beside one that watches the clock.
    const isBackground = contestantOf(cell.contestant).data === 'postgres';
    const run = { rate, seconds, warmUpSeconds, isBackground };
    const load = runConstantRate(target, run);
    const { answered, seconds: taken, ...figures } = await withBackground(load, background);
    return { ...cell, round, rate, answeredPerSecond: answered / taken, ...figures };
  });
}

/** Both end before either's failure is told: nothing may run on into the next round. */
async function withBackground<Result>(load: Promise<Result>, background: Promise<unknown>): Promise<Result> {
  await Promise.allSettled([load, background]);
  await background;
  return load;
}

interface Loaded {
  server: RunningServer;
  target: Target;
  /** Runs the creates that a workload has beside its requests. */
  besides: (seconds: number) => Promise<unknown>;
  isSeparate: boolean;
}

async function withServer<Result>(
  { cell, workload, places, slowDisk, connections }: MeasureOptions,
  use: (loaded: Loaded) => Promise<Result>,
): Promise<Result> {
  const contestant = contestantOf(cell.contestant);
  const { server: cores, load, isSeparate } = coreLayout(cell.processes);
  await using place = await places.open(contestant, workload, cell.animals);
  const requests = await places.requests(contestant, workload, cell.animals);
  await using server = await startServer({
    contestant: contestant.id,
    place: place.place,
    processes: cell.processes,
    cores,
    withEtag: workload.isConditional ?? false,
    ...(workload.isOnSlowDisk && slowDisk && { env: slowDisk }),
  });
  const headers = await checkedHeaders(server, workload, requests.first);
  const target: Target = {
    ...{ port: server.port, headers, connections, cores: load },
    requestsFile: requests.file,
  };
  const besides = async (seconds: number): Promise<void> => {
    const rate = workload.backgroundCreatesPerSecond;
    if (rate === undefined) return;
    const creates = { ...target, requestsFile: requests.createFile, connections: backgroundConnections };
    const { errors } = await runConstantRate(creates, { rate, seconds, isBackground: true });
    if (errors > 0) throw new Error(`${errors} creates of ${contestant.name} failed or were never answered.`);
  };
  // Awaited here: the server lives only as long as this function.
  return await use({ server, target, besides, isSeparate });
}

/** Makes sure that what is about to be measured is the right answer, not a fast error. */
async function checkedHeaders(
  { url, headers }: RunningServer,
  { isConditional = false }: Workload,
  { method, path, body }: { method: string; path: string; body?: string },
): Promise<Record<string, string>> {
  const ask = (extra: Record<string, string>): Promise<Response> =>
    fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...extra, ...(body !== undefined && bodyHeaders) },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(answerWithinMs),
    });
  const response = await ask({});
  const text = await response.text();
  if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  // PocketBase answers a caller without rights with an empty list, not with an error.
  if (response.status === 200 && method === 'GET' && !text.includes('"Animal ')) {
    throw new Error(`${path} has no animals: ${text.slice(0, 200)}`);
  }
  if (!isConditional) return headers;
  const condition = { 'If-None-Match': response.headers.get('ETag') ?? '' };
  const again = await ask(condition);
  if (again.status !== 304) throw new Error(`${path} answered ${again.status} to its own ETag.`);
  return { ...headers, ...condition };
}

function whyDiscarded(
  { serverCores, loadCores, errors }: Throughput,
  { processes }: Cell,
  coresOfLoad: number,
): string | undefined {
  if (errors > 0) return `${errors} answers were errors`;
  const isLoadBusy = loadCores >= busyLoad * coresOfLoad;
  const isServerIdle = serverCores < busyServer * processes;
  return isLoadBusy && isServerIdle ? 'the load generator was the bottleneck' : undefined;
}
