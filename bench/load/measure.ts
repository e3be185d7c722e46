import { familyOf, peakMemoryMb } from '../../test/support/process/process-figures.ts';
import { contestantOf, isOnPostgres } from '../contestants/contestants.ts';
import { startContestant, type Running, type Setting } from '../contestants/start.ts';
import type { Cell, LatencySample, Measurement } from '../report/results.ts';
import { runAtConstantRate } from './constant-rate.ts';
import { dropFromMemory } from './processes.ts';
import { workloadOf } from './workloads.ts';
import { runWrk, untilIdle, type Load } from './wrk.ts';

export interface ThroughputOptions extends Setting {
  round: number;
  /** Of load that is measured, over all turns. */
  seconds: number;
  turns: number;
  warmUpSeconds: number;
  /** Called for a contestant that fails; the others go on without it. */
  failed(cell: Cell, round: number, error: Error): void;
}

interface Racer extends Running {
  cell: Cell;
  loads: Load[];
  /** How many requests it got so far: the next turn goes on from there. */
  requestCount: number;
}

/** A load generator this busy, beside a server with time to spare, measures itself. */
const [busyLoad, busyServer] = [0.9, 0.95];
/** Creates beside a load start this long before it and end this long after it. */
const leadSeconds = 0.5;
const createConnections = 8;
const warmUpTurns = 3;

/**
 * One round of a comparison: all contestants are started, then they take turns under load. If the machine changes its
 * speed from one second to the next, it changes for all of them.
 */
export async function measureThroughput(cells: readonly Cell[], options: ThroughputOptions) {
  const { seconds, turns, round, warmUpSeconds } = options;
  await using stack = new AsyncDisposableStack();
  const samples: Measurement[] = [];
  const racers = new Map<Cell, Racer>();
  /** Stops a contestant that is done or has failed, so that it takes nothing from the others. */
  const leave = async (cell: Cell): Promise<void> => {
    await racers.get(cell)?.[Symbol.asyncDispose]();
    racers.delete(cell);
  };
  const lap = async (act: (cell: Cell) => Promise<unknown>, among: Iterable<Cell>): Promise<void> => {
    for (const cell of among) {
      await act(cell).catch((error: Error) => {
        options.failed(cell, round, error);
        return leave(cell);
      });
    }
  };
  await lap(async (cell) => {
    const running = stack.use(await startContestant(cell, options));
    racers.set(cell, { ...running, cell, requestCount: 0, loads: [] });
  }, cells);
  // In turns, too: a runtime that waits for long may lose compiled code.
  for (let turn = 1; turn <= warmUpTurns; turn++)
    await lap((cell) => takeTurn(racers.get(cell)!, warmUpSeconds / warmUpTurns), racers.keys());
  for (let turn = 1; turn <= turns; turn++) {
    await lap(async (cell) => {
      const racer = racers.get(cell)!;
      racer.loads.push(await takeTurn(racer, seconds / turns));
      if (turn < turns) return;
      samples.push(sampleOf(racer, round));
      await leave(cell);
    }, racers.keys());
  }
  return samples;
}

type LatencyOptions = Setting & { round: number; rate: number; seconds: number; warmUpSeconds: number };

/** The same work at a fixed rate, for latency. */
export async function measureLatency(cell: Cell, options: LatencyOptions): Promise<LatencySample> {
  const { round, rate, seconds, warmUpSeconds } = options;
  await using running = await startContestant(cell, options);
  // PostgreSQL shares the generator's cores, and would hardly get a turn beside one that watches the clock.
  const isBackground = isOnPostgres(contestantOf(cell.contestant));
  const run = () => runAtConstantRate(running, { rate, seconds, warmUpSeconds, isBackground });
  return { ...cell, round, rate, ...(await besideCreates(cell, running, warmUpSeconds + seconds, run)) };
}

async function takeTurn(racer: Racer, seconds: number): Promise<Load> {
  const { isCold, createsPerSecond } = workloadOf(racer.cell.workload);
  const hasCreates = createsPerSecond !== undefined;
  if (isCold) await dropFromMemory(racer.place);
  const load = await besideCreates(racer.cell, racer, seconds + 2 * leadSeconds, async () => {
    if (hasCreates) await Bun.sleep(leadSeconds * 1000);
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
  run: () => Promise<Result>,
): Promise<Result> {
  const rate = workloadOf(workload).createsPerSecond;
  if (rate === undefined) return run();
  const requests = [contestantOf(contestant).spelling.create(0)];
  const creating = { ...target, requests, connections: createConnections };
  const creates = runAtConstantRate(creating, { rate, seconds, isBackground: true });
  const load = run();
  await Promise.allSettled([creates, load]);
  const { errors } = await creates;
  if (errors > 0) throw new Error(`${errors} creates failed.`);
  return load;
}

function sampleOf({ cell, pid, readyMs, loads }: Racer, round: number): Measurement {
  const sum = (figure: keyof Load): number => loads.reduce((total, load) => total + load[figure], 0);
  const [seconds, requests, errors] = [sum('seconds'), sum('requests'), sum('errors')];
  if (requests === 0) throw new Error(`There was no response within ${seconds} s.`);
  const [serverCores, loadCores] = [sum('serverSeconds') / seconds, sum('loadSeconds') / seconds];
  const isBottleneck = loadCores >= busyLoad && serverCores < busyServer;
  return {
    ...{ ...cell, round, errors, serverCores, loadCores, readyMs },
    requestsPerSecond: requests / seconds,
    otherCores: sum('otherCores') / loads.length,
    cpuMicrosPerRequest: (sum('serverSeconds') * 1e6) / requests,
    peakMemoryMb: peakMemoryMb(familyOf(pid)),
    diskReadMb: sum('readBytes') / 2 ** 20,
    ...(isBottleneck && { discarded: 'the load generator was the bottleneck' }),
    ...(errors > 0 && { discarded: `${errors} responses were errors` }),
  };
}
