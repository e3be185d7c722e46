import { familyOf, peakMemoryMb } from '../../test/support/process/process-figures.ts';
import { contestantOf } from '../contestants/contestants.ts';
import { startContestant, type Running, type Setting } from '../contestants/start.ts';
import type { Cell, LatencySample, Sample } from '../report/results.ts';
import { runAtConstantRate } from './constant-rate.ts';
import { workloadOf } from './workloads.ts';
import { runWrk, untilIdle, type Load } from './wrk.ts';

export interface MeasureOptions extends Setting {
  round: number;
  /** Of load that is measured, over all turns. */
  seconds: number;
  turns: number;
  /** Shorter in tests. */
  warmUpTurnSeconds?: number;
  /** Called for a contestant that fails; the others go on without it. */
  failed(cell: Cell, error: Error): void;
}

interface Racer extends Running {
  cell: Cell;
  /** How many requests it got so far: the next turn goes on from there. */
  requestCount: number;
  loads: Load[];
}

/** A load generator this busy, beside a server with time to spare, measures itself. */
const [busyLoad, busyServer] = [0.9, 0.95];
/** Creates beside a load start this long before it and end this long after it. */
const leadSeconds = 0.5;
const createConnections = 8;

/**
 * One round of a comparison: all contestants are started, then they take turns under load. If the machine changes its
 * speed from one second to the next, it changes for all of them.
 */
export async function measureThroughput(cells: readonly Cell[], options: MeasureOptions): Promise<Sample[]> {
  const { seconds, turns, round, warmUpTurnSeconds = 1 } = options;
  await using stack = new AsyncDisposableStack();
  const samples: Sample[] = [];
  const racers = new Set<Racer>();
  const leave = async (racer: Racer): Promise<void> => {
    racers.delete(racer);
    await racer[Symbol.asyncDispose]();
  };
  const lap = async (act: (racer: Racer) => Promise<unknown>): Promise<void> => {
    for (const racer of racers) {
      try {
        await act(racer);
      } catch (error) {
        options.failed(racer.cell, error as Error);
        await leave(racer);
      }
    }
  };
  for (const cell of cells) {
    try {
      const running = stack.use(await startContestant(cell, options));
      racers.add({ ...running, cell, requestCount: 0, loads: [] });
    } catch (error) {
      options.failed(cell, error as Error);
    }
  }
  // All warm up for the last time in the same lap.
  for (let left = 3; left > 0; left--) {
    await lap(async (racer) => {
      const { warmUpSeconds } = contestantOf(racer.cell.contestant);
      if (warmUpSeconds >= left && slowSeconds(racer.cell) === undefined)
        await takeTurn(racer, warmUpTurnSeconds);
    });
  }
  for (let turn = 1; turn <= turns; turn++) {
    await lap(async (racer) => {
      const alone = slowSeconds(racer.cell);
      racer.loads.push(await takeTurn(racer, alone ?? seconds / turns));
      if (turn < turns && alone === undefined) return;
      samples.push(sampleOf(racer, round));
      await leave(racer);
    });
  }
  return samples;
}

/** The same work at a fixed rate, for latency. */
export async function measureLatency(
  cell: Cell,
  options: Setting & { round: number; rate: number; seconds: number; warmUpSeconds?: number },
): Promise<LatencySample> {
  const { data, warmUpSeconds: usual } = contestantOf(cell.contestant);
  const { round, rate, seconds, warmUpSeconds = usual } = options;
  await using running = await startContestant(cell, options);
  // PostgreSQL shares the generator's cores, and would hardly get a turn beside one that watches the clock.
  const load = { rate, seconds, warmUpSeconds, isBackground: data === 'postgres' };
  const figures = await besideCreates(cell, running, warmUpSeconds + seconds, () =>
    runAtConstantRate(running, load),
  );
  return { ...cell, round, rate, ...figures };
}

function slowSeconds({ contestant, workload }: Cell): number | undefined {
  return contestantOf(contestant).slow?.[workload];
}

async function takeTurn(racer: Racer, seconds: number): Promise<Load> {
  const load = await besideCreates(racer.cell, racer, seconds + 2 * leadSeconds, async (isAlone) => {
    if (!isAlone) await Bun.sleep(leadSeconds * 1000);
    return runWrk(racer, seconds, racer.requestCount);
  });
  racer.requestCount += load.requests;
  await untilIdle(racer.pid);
  return load;
}

/** Runs a load beside the creates that the workload has, if any. Both end before a failure of either is thrown. */
async function besideCreates<Result>(
  { contestant, workload }: Cell,
  target: Running,
  seconds: number,
  run: (isAlone: boolean) => Promise<Result>,
): Promise<Result> {
  const rate = workloadOf(workload).createsPerSecond;
  if (rate === undefined) return run(true);
  const requests = [contestantOf(contestant).spelling.create(0)];
  const creating = { ...target, requests, connections: createConnections };
  const creates = runAtConstantRate(creating, { rate, seconds, isBackground: true });
  const [created, result] = await Promise.allSettled([creates, run(false)]);
  if (created.status === 'rejected') throw created.reason;
  if (created.value.errors > 0) throw new Error(`${created.value.errors} creates failed.`);
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

function sampleOf({ cell, pid, readyMs, loads }: Racer, round: number): Sample {
  const sum = (value: (load: Load) => number): number =>
    loads.reduce((total, load) => total + value(load), 0);
  const seconds = sum((load) => load.seconds);
  const requests = sum((load) => load.requests);
  const serverSeconds = sum((load) => load.serverSeconds);
  const errors = sum((load) => load.errors);
  const serverCores = serverSeconds / seconds;
  const loadCores = sum(({ loadSeconds }) => loadSeconds) / seconds;
  const isBottleneck = loadCores >= busyLoad && serverCores < busyServer * cell.processes;
  return {
    ...{ ...cell, round, errors, serverCores, loadCores, readyMs },
    requestsPerSecond: requests / seconds,
    otherCores: sum(({ otherCores }) => otherCores) / loads.length,
    cpuMicrosPerRequest: (serverSeconds * 1e6) / requests,
    peakMemoryMb: peakMemoryMb(familyOf(pid)),
    ...(isBottleneck && { discarded: 'the load generator was the bottleneck' }),
    ...(errors > 0 && { discarded: `${errors} responses were errors` }),
  };
}
