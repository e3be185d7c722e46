import { contestantOf } from './contestants.ts';
import { runConstantRate, runWrk, untilIdle, type Load } from './load.ts';
import { familyOf, peakMemoryMb } from './process-figures.ts';
import type { Cell, LatencySample, Sample } from './results.ts';
import { startContestant, type Ground, type RunningContestant } from './running.ts';
import { workloadOf } from './workloads.ts';

export interface MeasureOptions extends Ground {
  round: number;
  /** Under load, all turns together. */
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
 * One round of what is compared: all are started, each on its copy of the data, and warmed up; then they take short
 * turns under load. A machine whose speed changes from one second to the next changes it for all of them.
 */
export async function measureThroughput(
  cells: readonly Cell[],
  options: MeasureOptions,
  reporter: Reporter,
): Promise<Sample[]> {
  await using stack = new AsyncDisposableStack();
  const loads = new Map<RunningContestant, Load[]>();
  const attempt = async (cell: Cell, act: () => Promise<unknown>): Promise<boolean> => {
    reporter.step(cell);
    try {
      await act();
      return true;
    } catch (error) {
      reporter.failed(cell, error as Error);
      return false;
    }
  };
  for (const cell of cells) {
    await attempt(cell, async () => {
      const running = stack.use(await startContestant(cell, options));
      await warmUp(running, options);
      loads.set(running, []);
    });
  }
  for (let turn = 0; turn < options.turns; turn++) {
    for (const [running, taken] of loads) {
      if (turn >= turnsOf(running.cell, options)) continue;
      const isTaken = await attempt(running.cell, async () =>
        taken.push(await takeTurn(running, turn, options)),
      );
      if (!isTaken) loads.delete(running);
    }
  }
  return [...loads].map(([running, taken]) => sampleOf(running, options.round, taken));
}

/** One that is so slow that it gets seconds of load gets them at once, and no warm-up. */
export function turnsOf({ contestant, workload }: Cell, { turns }: { turns: number }): number {
  return contestantOf(contestant).slow?.[workload] === undefined ? turns : 1;
}

async function warmUp(
  { cell, server, target }: RunningContestant,
  { warmUpSeconds }: MeasureOptions,
): Promise<void> {
  const { slow, warmUpSeconds: seconds = warmUpSeconds } = contestantOf(cell.contestant);
  if (slow?.[cell.workload] !== undefined) return;
  await runWrk(target, { seconds, serverPid: server.pid });
  await untilIdle(server.pid);
}

async function takeTurn(
  { cell, server, target, besides }: RunningContestant,
  turn: number,
  options: MeasureOptions,
): Promise<Load> {
  const seconds = contestantOf(cell.contestant).slow?.[cell.workload] ?? options.seconds / options.turns;
  // What runs beside runs during the whole of the load.
  const background = besides(seconds + 2 * leadSeconds);
  background.catch(() => {});
  if (workloadOf(cell.workload).backgroundCreatesPerSecond !== undefined) {
    await Bun.sleep(leadSeconds * 1000);
  }
  // From the middle of the file on: what the warm-up has asked is not asked again at once.
  const startAt = (1 + turn / options.turns) / 2;
  const load = runWrk(target, { seconds, serverPid: server.pid, startAt });
  const taken = await withBackground(load, background);
  await untilIdle(server.pid);
  return taken;
}

function sampleOf(
  { cell, server, isSeparate, target }: RunningContestant,
  round: number,
  loads: Load[],
): Sample {
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
  const discarded = whyDiscarded(figures, cell, isSeparate ? target.cores.length : Infinity);
  return { ...cell, round, ...figures, ...(discarded !== undefined && { discarded }) };
}

function whyDiscarded(
  { serverCores, loadCores, errors }: Pick<Sample, 'serverCores' | 'loadCores' | 'errors'>,
  { processes }: Cell,
  coresOfLoad: number,
): string | undefined {
  if (errors > 0) return `${errors} answers were errors`;
  const isLoadBusy = loadCores >= busyLoad * coresOfLoad;
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
