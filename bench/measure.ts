import { contestantOf } from './contestants.ts';
import { runConstantRate, runWrk, untilIdle, type Load } from './load.ts';
import { familyOf, peakMemoryMb } from '../test/support/process/process-figures.ts';
import type { Cell, LatencySample, Sample } from './results.ts';
import { startContestant, type Ground, type RunningContestant } from './running.ts';
import { workloadOf } from './workloads.ts';

export interface MeasureOptions extends Ground {
  round: number;
  /** Under load that is measured, all turns together. */
  seconds: number;
  turns: number;
  warmUpSeconds: number;
  latencySeconds: number;
}

/** Told what is going on. A contestant that fails is left out of the round; the others go on. */
export interface Reporter {
  step(cell: Cell): void;
  failed(cell: Cell, error: Error): void;
}

/** A load generator this busy, beside a server with time to spare, measures itself. */
const busyLoad = 0.9;
const busyServer = 0.95;
const leadSeconds = 0.5;

/**
 * One round of what is compared: all are started, each on its copy of the data; then they take turns under load, to warm
 * up first. A machine whose speed changes from one second to the next changes it for all of them, and nobody waits for
 * so long that its runtime throws compiled code away.
 */
export async function measureThroughput(
  cells: readonly Cell[],
  options: MeasureOptions,
  reporter: Reporter,
): Promise<Sample[]> {
  await using stack = new AsyncDisposableStack();
  const samples: Sample[] = [];
  const racing = new Set<Racer>();
  const inTurn = async (act: (racer: Racer) => Promise<unknown>): Promise<void> => {
    for (const racer of racing) {
      try {
        await act(racer);
      } catch (error) {
        reporter.failed(racer.cell, error as Error);
        await leave(racer);
      }
    }
  };
  /** Whoever is done must not take anything from those who are not. */
  const leave = async (racer: Racer): Promise<void> => {
    racing.delete(racer);
    await racer[Symbol.asyncDispose]();
  };

  for (const cell of cells) {
    reporter.step(cell);
    try {
      const running = stack.use(await startContestant(cell, options));
      racing.add({ ...running, asked: 0, loads: [], ...turnsOf(cell, options) });
    } catch (error) {
      reporter.failed(cell, error as Error);
    }
  }
  // All end with their last turn for warming up in the same lap.
  const laps = Math.max(0, ...[...racing].map(({ warmUpTurns }) => warmUpTurns));
  for (let lap = laps; lap > 0; lap--) {
    await inTurn(async (racer) => {
      if (racer.warmUpTurns >= lap) await takeTurn(racer, warmUpTurnSeconds);
    });
  }
  while (racing.size > 0) {
    await inTurn(async (racer) => {
      reporter.step(racer.cell);
      racer.loads.push(await takeTurn(racer, racer.turnSeconds));
      if (racer.loads.length < racer.turns) return;
      samples.push(sampleOf(racer, options.round));
      await leave(racer);
    });
  }
  return samples;
}

interface Turns {
  warmUpTurns: number;
  turns: number;
  turnSeconds: number;
}

interface Racer extends RunningContestant, Turns {
  /** How many requests it got up to now: the next turn goes on from there. */
  asked: number;
  loads: Load[];
}

const warmUpTurnSeconds = 1;

/** One that is so slow that it needs seconds of load gets them at once, and no warm-up. */
export function turnsOf({ contestant, workload }: Cell, options: TurnOptions): Turns {
  const { slow, warmUpSeconds = options.warmUpSeconds } = contestantOf(contestant);
  const slowSeconds = slow?.[workload];
  if (slowSeconds !== undefined) return { warmUpTurns: 0, turns: 1, turnSeconds: slowSeconds };
  const { seconds, turns } = options;
  return { warmUpTurns: warmUpSeconds / warmUpTurnSeconds, turns, turnSeconds: seconds / turns };
}

type TurnOptions = Pick<MeasureOptions, 'seconds' | 'turns' | 'warmUpSeconds'>;

async function takeTurn(racer: Racer, seconds: number): Promise<Load> {
  const { cell, server, target, besides, asked } = racer;
  // What runs beside runs during the whole of the load.
  const background = besides(seconds + 2 * leadSeconds);
  background.catch(() => {});
  if (workloadOf(cell.workload).backgroundCreatesPerSecond !== undefined) {
    await Bun.sleep(leadSeconds * 1000);
  }
  const load = runWrk(target, { seconds, serverPid: server.pid, startAt: asked });
  const taken = await withBackground(load, background);
  racer.asked += taken.requests;
  await untilIdle(server.pid);
  return taken;
}

function sampleOf({ cell, server, loads }: Racer, round: number): Sample {
  const sum = (value: (load: Load) => number): number =>
    loads.reduce((total, load) => total + value(load), 0);
  const seconds = sum((load) => load.seconds);
  const requests = sum((load) => load.requests);
  const serverSeconds = sum((load) => load.serverSeconds);
  const figures = {
    requestsPerSecond: requests / seconds,
    errors: sum(({ errors }) => errors),
    serverCores: serverSeconds / seconds,
    loadCores: sum(({ loadSeconds }) => loadSeconds) / seconds,
    otherCores: sum(({ otherCores }) => otherCores) / loads.length,
    cpuMicrosPerRequest: (serverSeconds * 1e6) / requests,
    peakMemoryMb: peakMemoryMb(familyOf(server.pid)),
    readyMs: server.readyMs,
  };
  const discarded = whyDiscarded(figures, cell);
  return { ...cell, round, ...figures, ...(discarded !== undefined && { discarded }) };
}

function whyDiscarded(
  { serverCores, loadCores, errors }: Pick<Sample, 'serverCores' | 'loadCores' | 'errors'>,
  { processes }: Cell,
): string | undefined {
  if (errors > 0) return `${errors} answers were errors`;
  const isLoadBusy = loadCores >= busyLoad;
  const isServerIdle = serverCores < busyServer * processes;
  return isLoadBusy && isServerIdle ? 'the load generator was the bottleneck' : undefined;
}

/** The same work at a fixed rate, one after the other, for latency. */
export async function measureLatency(
  cell: Cell,
  options: MeasureOptions,
  rate: number,
): Promise<LatencySample> {
  const { data, warmUpSeconds = options.warmUpSeconds } = contestantOf(cell.contestant);
  const { round, latencySeconds: seconds } = options;
  await using running = await startContestant(cell, options);
  const background = running.besides(warmUpSeconds + seconds);
  // PostgreSQL runs on the same cores, and would hardly get a turn beside one that watches the clock.
  const run = { rate, seconds, warmUpSeconds, isBackground: data === 'postgres' };
  const load = runConstantRate(running.target, run);
  const { answered, seconds: taken, ...figures } = await withBackground(load, background);
  return { ...cell, round, rate, answeredPerSecond: answered / taken, ...figures };
}

/** Both end before either's failure is told: nothing may run on into the next turn. */
async function withBackground<Result>(load: Promise<Result>, background: Promise<unknown>): Promise<Result> {
  await Promise.allSettled([load, background]);
  await background;
  return load;
}
