import { contestantOf } from './contestants.ts';
import { coreLayout } from './cores.ts';
import { runConstantRate, type Target } from './load.ts';
import type { Places } from './places.ts';
import { bodyHeaders } from './requests.ts';
import type { Cell } from './results.ts';
import { startServer, type RunningServer } from './server.ts';
import type { SlowDisk } from './slow-disk.ts';
import { workloadOf, type Workload } from './workloads.ts';

/** A contestant that serves, on its own copy of the data, and what it is going to be asked. */
export interface RunningContestant extends AsyncDisposable {
  cell: Cell;
  server: RunningServer;
  target: Target;
  /** Runs the creates that a workload has beside its requests. */
  besides: (seconds: number) => Promise<unknown>;
}

export interface Ground {
  places: Places;
  slowDisk: SlowDisk | undefined;
  connections: number;
}

const backgroundConnections = 8;
const answerWithinMs = 30_000;

export async function startContestant(
  cell: Cell,
  { places, slowDisk, connections }: Ground,
): Promise<RunningContestant> {
  const contestant = contestantOf(cell.contestant);
  const workload = workloadOf(cell.workload);
  const { server: cores, load } = coreLayout(cell.processes);
  await using stack = new AsyncDisposableStack();
  const { place } = stack.use(await places.open(contestant, workload, cell.pets));
  const requests = await places.requests(contestant, workload, cell.pets);
  const server = stack.use(
    await startServer({
      contestant: contestant.id,
      place,
      processes: cell.processes,
      cores,
      withEtag: workload.isConditional ?? false,
      ...(workload.isOnSlowDisk && slowDisk && { env: slowDisk }),
    }),
  );
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
  const started = stack.move();
  return {
    ...{ cell, server, target, besides },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
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
  if (response.status === 200 && method === 'GET' && !text.includes('"Pet ')) {
    throw new Error(`${path} has no pets: ${text.slice(0, 200)}`);
  }
  if (!isConditional) return headers;
  const condition = { 'If-None-Match': response.headers.get('ETag') ?? '' };
  const again = await ask(condition);
  if (again.status !== 304) throw new Error(`${path} answered ${again.status} to its own ETag.`);
  return { ...headers, ...condition };
}
