import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contestants } from './contestants.ts';
import { cleanUpWhenCutOff } from './cut-off.ts';
import { serviceTemplate } from './data.ts';
import { describeContestant, describeMachine } from './machine.ts';
import { measureLatency, measureThroughput, turnsOf, type MeasureOptions, type Reporter } from './measure.ts';
import { help, readOptions, type BenchOptions } from './options.ts';
import { openPlaces } from './places.ts';
import { estimateSeconds, latencyRate, orderOf, planLatency, planThroughput, type Group } from './plan.ts';
import { missingTools, preparePeers } from './prepare.ts';
import { createProgress } from './progress.ts';
import { renderSummary, writeReport } from './report.ts';
import type { Cell, Results } from './results.ts';
import { buildSlowDisk, type SlowDisk } from './slow-disk.ts';
import { makeTemporaryFolder } from './temporary.ts';
import {
  CannotContinueError,
  continueUnfinished,
  isMeasured,
  removeUnfinished,
  saveUnfinished,
} from './unfinished.ts';
import { verifySameWork } from './verify.ts';
import { workloadOf, workloads } from './workloads.ts';

/** Fewer say too little about how much rounds differ. */
const publishedRounds = 7;
const fewestRequests = 1000;
const longestLatencySeconds = 10;
/** In turns of the others: it starts and warms up a contestant for itself. */
const latencyLength = 3;

if (import.meta.main) {
  cleanUpWhenCutOff();
  await main(process.argv.slice(2)).catch((error: unknown) => {
    if (!(error instanceof CannotContinueError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  });
}

async function main(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === 'help') {
    process.stdout.write(help);
    return;
  }
  const missing = missingTools();
  if (missing.length > 0) {
    process.stderr.write(`${missing.join('\n')}\n`);
    process.exitCode = 2;
    return;
  }
  const chosen = contestants.filter(({ id }) => options.contestants.includes(id));
  await preparePeers(chosen);
  process.stderr.write('Making the data and checking that all do the same work…\n');
  for (const pets of [options.pets, ...options.otherSizes]) await serviceTemplate(pets);
  await verifySameWork(
    chosen.filter(({ kind }) => kind === 'peer').map(({ id }) => id),
    options.pets,
  );
  const results = await runBenchmark(options);
  process.stdout.write(renderSummary(results));
  // A quick look, or a part, is no result to publish.
  const isWhole =
    !options.isQuick &&
    options.rounds >= publishedRounds &&
    options.otherSizes.length > 0 &&
    options.workloads.length === workloads.length &&
    options.contestants.length === contestants.length;
  const folder = isWhole ? import.meta.dir : await mkdtemp(join(tmpdir(), 'petstore-bench-report-'));
  process.stdout.write(`\n${await writeReport(results, folder)}\n`);
  await removeUnfinished(results);
}

/** Measures everything that was asked for. What fails is said in the remarks; the rest goes on. */
export async function runBenchmark(options: BenchOptions): Promise<Results> {
  await using places = openPlaces();
  using folder = makeTemporaryFolder('run');
  const slowDisk = buildSlowDisk(folder.path);
  const empty = await emptyResults(options, slowDisk);
  const results = options.isContinued ? await continueUnfinished(empty) : empty;
  const groups = planThroughput(options)
    .map((cells) => cells.filter(({ workload }) => slowDisk || !workloadOf(workload).isOnSlowDisk))
    .filter((cells) => cells.length > 0);
  const latencyGroups = planLatency(groups, options);
  const minutes = Math.ceil(estimateSeconds(groups, latencyGroups, options) / 60);
  process.stderr.write(`Measuring. A whole run takes about ${minutes} min.\n`);

  const loads = leftToDo(groups, options.rounds, results.samples);
  const latencies = leftToDo(latencyGroups, options.latencyRounds, results.latencies);
  const steps = loads.flatMap(({ cells }) => cells.map((cell) => 1 + turnsOf(cell, options).turns));
  const latencySteps = latencyLength * latencies.flatMap(({ cells }) => cells).length;
  const progress = createProgress(steps.reduce((sum, count) => sum + count, latencySteps));
  const optionsOf = (round: number): MeasureOptions => ({ ...options, places, slowDisk, round });
  const labelOf = ({ workload, contestant, pets }: Cell): string =>
    `${workloadOf(workload).title}, ${contestant}, ${pets} pets`;
  const reporterOf = (round: number): Reporter => ({
    step(cell) {
      progress.step(labelOf(cell));
    },
    failed({ workload, contestant }, { message }) {
      const reason = message.split('\n').slice(0, 3).join(' ');
      results.remarks.push(`${contestant}, ${workload}, round ${round}: ${reason}`);
    },
  });

  for (const { round, cells } of loads) {
    results.samples.push(...(await measureThroughput(cells, optionsOf(round), reporterOf(round))));
    await saveUnfinished(results);
  }
  for (const { round, cells } of latencies) {
    for (const cell of cells) {
      const reporter = reporterOf(round);
      progress.step(labelOf(cell), latencyLength);
      const rate = latencyRate(results, cell);
      if (rate === 0) continue;
      // A hundredth of a few requests is nothing; a slow rate goes on for longer.
      const enough = Math.min(longestLatencySeconds, Math.ceil(fewestRequests / rate));
      const latencySeconds = Math.max(options.latencySeconds, enough);
      await measureLatency(cell, { ...optionsOf(round), latencySeconds }, rate).then(
        (sample) => results.latencies.push(sample),
        (error: Error) => reporter.failed(cell, error),
      );
    }
    await saveUnfinished(results);
  }
  progress.finish();
  const postgresVersion = await places.postgresVersion();
  if (postgresVersion !== undefined) results.machine.versions['PostgreSQL'] = postgresVersion;
  results.finishedAt = new Date().toISOString();
  return results;
}

/** Round by round, and in each round group by group, but for groups that a run that was cut off has measured already. */
function leftToDo(
  groups: readonly Group[],
  rounds: number,
  measured: readonly (Cell & { round: number })[],
): { round: number; cells: Cell[] }[] {
  const numbers = Array.from({ length: rounds }, (_, index) => index + 1);
  return numbers
    .flatMap((round) => groups.map((cells) => ({ round, cells: orderOf(cells, round, rounds) })))
    .filter(({ round, cells }) => !cells.some((cell) => isMeasured(measured, cell, round)));
}

async function emptyResults(options: BenchOptions, slowDisk: SlowDisk | undefined): Promise<Results> {
  const chosen = contestants.filter(({ id }) => options.contestants.includes(id));
  return {
    startedAt: new Date().toISOString(),
    finishedAt: '',
    machine: describeMachine(),
    method: {
      pets: options.pets,
      otherSizes: options.otherSizes,
      rounds: options.rounds,
      secondsPerRound: options.seconds,
      turnsPerRound: options.turns,
      warmUpSeconds: options.warmUpSeconds,
      latencyRounds: options.latencyRounds,
      latencySeconds: options.latencySeconds,
      connections: options.connections,
      loadGenerator: 'wrk, keep-alive, no pipelining',
      slowDisk: slowDisk
        ? 'LD_PRELOAD shim: fsync and fdatasync take 5 ms longer'
        : 'not measured: no C compiler',
    },
    contestants: await Promise.all(chosen.map(describeContestant)),
    workloads: workloads
      .filter(({ id }) => options.workloads.includes(id))
      .map(({ id, title }) => ({ id, title })),
    samples: [],
    latencies: [],
    remarks: slowDisk ? [] : ['No C compiler was found, so the 5 ms disk was not measured.'],
  };
}
