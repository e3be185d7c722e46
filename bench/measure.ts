import { join } from 'node:path';
import { contestantOf } from './contestants.ts';
import { coreLayout } from './cores.ts';
import { runConstantRate, runWrk, writeRequests, type Target, type Throughput } from './load.ts';
import type { Places } from './places.ts';
import { familyOf, peakMemoryMb } from './process-figures.ts';
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
  connections: number;
}

/** A load generator this busy, beside a server with time to spare, measures itself. */
const busyCore = 0.95;
const backgroundConnections = 8;

/** One round: a copy of the data, a fresh process, a warm-up, then as many requests as it takes. */
export function measureThroughput(options: MeasureOptions): Promise<Sample> {
  const { cell, round, seconds, warmUpSeconds } = options;
  return withServer(options, async ({ server, target, besides, isSeparate }) => {
    await runWrk(target, warmUpSeconds, server.pid);
    const background = besides(seconds);
    const throughput = await runWrk(target, seconds, server.pid);
    await background;
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
  const { cell, round, seconds, warmUpSeconds } = options;
  return withServer(options, async ({ target, besides }) => {
    await runConstantRate(target, { rate, seconds: warmUpSeconds });
    const background = besides(seconds);
    const { answered, seconds: taken, ...figures } = await runConstantRate(target, { rate, seconds });
    await background;
    return { ...cell, round, rate, answeredPerSecond: answered / taken, ...figures };
  });
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
  await using server = await startServer({
    contestant: contestant.id,
    place: place.place,
    processes: cell.processes,
    cores,
    withEtag: workload.isConditional ?? false,
    ...(workload.isOnSlowDisk && slowDisk && { env: slowDisk }),
  });
  const requests = workload.requests(contestant.spelling, cell.animals);
  const requestsFile = join(place.folder, 'requests.tsv');
  await writeRequests(requestsFile, requests);
  const headers = await checkedHeaders(server, workload, requests[0]!);
  const target: Target = { port: server.port, headers, requestsFile, connections, cores: load };

  const createsFile = join(place.folder, 'creates.tsv');
  await writeRequests(createsFile, [contestant.spelling.create(0)]);
  const besides = async (seconds: number): Promise<void> => {
    const rate = workload.backgroundCreatesPerSecond;
    if (rate === undefined) return;
    const creates = { ...target, requestsFile: createsFile, connections: backgroundConnections };
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
      headers: { ...headers, ...extra },
      ...(body !== undefined && { body }),
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
  const isLoadBusy = loadCores >= busyCore * coresOfLoad;
  const isServerIdle = serverCores < busyCore * processes;
  return isLoadBusy && isServerIdle ? 'the load generator was the bottleneck' : undefined;
}
