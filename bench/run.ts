import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contestants } from './contestants.ts';
import { cacheFolder, sqliteTemplate } from './data.ts';
import { describeContestant, describeMachine } from './machine.ts';
import { measureLatency, measureThroughput, type MeasureOptions } from './measure.ts';
import { help, readOptions, type BenchOptions } from './options.ts';
import { openPlaces } from './places.ts';
import { latencyRate, planLatency, planThroughput, rotate, type Group } from './plan.ts';
import { missingTools, preparePeers } from './prepare.ts';
import { createProgress } from './progress.ts';
import { renderSummary, writeReport } from './report.ts';
import type { Cell, Results } from './results.ts';
import { buildSlowDisk, type SlowDisk } from './slow-disk.ts';
import { verifySameWork } from './verify.ts';
import { workloads } from './workloads.ts';

if (import.meta.main) await main(process.argv.slice(2));

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
  for (const animals of [options.animals, ...options.otherSizes]) await sqliteTemplate(animals);
  await verifySameWork(
    chosen.filter(({ kind }) => kind === 'peer').map(({ id }) => id),
    options.animals,
  );
  const results = await runBenchmark(options);
  process.stdout.write(renderSummary(results));
  // A quick look, or a part, is no result to publish.
  const isWhole =
    !options.isQuick &&
    options.workloads.length === workloads.length &&
    options.contestants.length === contestants.length;
  const folder = isWhole ? import.meta.dir : await mkdtemp(join(tmpdir(), 'petstore-bench-report-'));
  process.stdout.write(`\n${await writeReport(results, folder)}\n`);
}

/** Measures everything that was asked for. What fails is said in the remarks; the rest goes on. */
export async function runBenchmark(options: BenchOptions): Promise<Results> {
  await using places = openPlaces();
  const folder = await mkdtemp(join(tmpdir(), 'petstore-bench-run-'));
  try {
    const slowDisk = buildSlowDisk(folder);
    const results = await emptyResults(options, slowDisk);
    const groups = planThroughput(options).filter(({ workload }) => slowDisk || !workload.isOnSlowDisk);
    const latencyGroups = planLatency(groups, options);
    const count = (list: Group[]): number => list.reduce((sum, { cells }) => sum + cells.length, 0);
    const progress = createProgress(
      count(groups) * options.rounds + count(latencyGroups) * options.latencyRounds,
    );

    const attempt = async (group: Group, cell: Cell, round: number, measure: Measure): Promise<void> => {
      progress.step(`${group.workload.title}, ${cell.contestant}, ${cell.animals} animals`);
      const { seconds, warmUpSeconds, connections } = options;
      const { workload } = group;
      try {
        await measure({ cell, workload, places, slowDisk, round, seconds, warmUpSeconds, connections });
      } catch (error) {
        const reason = (error as Error).message.split('\n').slice(0, 3).join(' ');
        results.remarks.push(`${cell.contestant}, ${workload.id}, round ${round}: ${reason}`);
      }
    };
    // A run takes hours; one that is cut off leaves what it has measured.
    const save = () => Bun.write(join(cacheFolder, 'unfinished.json'), JSON.stringify(results));
    const measureRound = (group: Group, cell: Cell, round: number) =>
      attempt(group, cell, round, async (what) => results.samples.push(await measureThroughput(what)));
    const measureLatencyRound = async (group: Group, cell: Cell, round: number) => {
      const rate = latencyRate(results, cell);
      if (rate === 0) return;
      await attempt(group, cell, round, async (what) =>
        results.latencies.push(await measureLatency(what, rate)),
      );
    };
    await inRounds(groups, options.rounds, measureRound, save);
    await inRounds(latencyGroups, options.latencyRounds, measureLatencyRound, save);
    progress.finish();
    results.machine = describeMachine(await places.postgresVersion());
    results.finishedAt = new Date().toISOString();
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Measure = (options: MeasureOptions) => Promise<unknown>;

/** Round by round, and in each round workload by workload: what is compared runs close together. */
async function inRounds(
  groups: readonly Group[],
  rounds: number,
  measure: (group: Group, cell: Cell, round: number) => Promise<void>,
  afterRound: () => Promise<unknown>,
): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    for (const group of groups) {
      for (const cell of rotate(group.cells, round)) await measure(group, cell, round);
    }
    await afterRound();
  }
}

async function emptyResults(options: BenchOptions, slowDisk: SlowDisk | undefined): Promise<Results> {
  const chosen = contestants.filter(({ id }) => options.contestants.includes(id));
  return {
    startedAt: new Date().toISOString(),
    finishedAt: '',
    machine: describeMachine(undefined),
    method: {
      animals: options.animals,
      rounds: options.rounds,
      secondsPerRound: options.seconds,
      warmUpSeconds: options.warmUpSeconds,
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
