import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'prettier';
import { drawCharts } from './charts.ts';
import { shortNumber } from './chart.ts';
import type { ContestantEntry, Results, Sample } from './results.ts';
import { describeMethod } from './method.ts';
import { cellOf, latencySpread, ratio, spreadOf, spreadOfCell } from './statistics.ts';
import { table } from './table.ts';
import { describeSpread, targetsOf } from './targets.ts';

const newest = join(import.meta.dir, 'results/latest.json');

// Makes the report again from results that were kept: bun bench/report.ts [FILE]
if (import.meta.main) {
  const results = (await Bun.file(process.argv[2] ?? newest).json()) as Results;
  process.stdout.write(`${await writeReport(results, import.meta.dir)}\n`);
}

/** Writes RESULTS.md, the charts and the raw results into a folder, and says where. */
export async function writeReport(results: Results, folder: string): Promise<string> {
  await mkdir(join(folder, 'results'), { recursive: true });
  await Bun.write(join(folder, 'results/latest.json'), `${JSON.stringify(results, null, 1)}\n`);
  for (const [name, svg] of Object.entries(drawCharts(results))) {
    await Bun.write(join(folder, 'results', name), svg);
  }
  const path = join(folder, 'RESULTS.md');
  await Bun.write(path, await renderResults(results));
  return `The report: ${path}`;
}

export async function renderResults(results: Results): Promise<string> {
  const charts = Object.keys(drawCharts(results))
    .filter((name) => name !== 'overview.svg')
    .map((name) => `![${name.replace('.svg', '')}](results/${name})`);
  const { machine, method } = results;
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  const discarded = results.samples.filter((sample) => sample.discarded !== undefined);
  const sections = [
    '# Results',
    `${results.startedAt.slice(0, 10)}, ${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.kernel}. ${versions.join(', ')}. Made by \`npm run bench\` from [results/latest.json](results/latest.json). Absolute figures belong to this machine; ratios travel better.`,
    '## To reach',
    targetTable(results),
    whatWasTried(results),
    ...charts,
    `## Throughput at ${shortNumber(method.pets)} pets`,
    'Requests a second, median of the rounds.',
    contestantTable(results, (id, workload) => {
      const spread = spreadOfCell(results, cellOf(results, workload, id));
      return spread ? shortNumber(spread.median) : '';
    }),
    '## How many times as fast',
    'The service to each, in the same round: the median of the rounds, with the lowest and the highest.',
    contestantTable(results, (id, workload) => {
      const own = ofPostgres(id) ? 'petstore-postgres' : 'petstore';
      if (id === own) return '';
      const spread = ratio(results, cellOf(results, workload, own), cellOf(results, workload, id));
      return spread ? describeSpread(spread) : '';
    }),
    '## Processor time and memory',
    'Microseconds of processor time a request, all threads; the largest resident memory of one process.',
    contestantTable(results, (id, workload) => figures(results, id, workload)),
    '## Latency',
    'At one constant rate per workload and store, half of what the slowest did in its slowest round, counted from the moment a request was due. In milliseconds: p50 / p99, the medians of the rounds, and the lowest and the highest p99.',
    contestantTable(results, (id, workload) => latencyFigures(results, id, workload)),
    ratesLine(results),
    latecomersLine(results),
    '## By number of pets',
    sizeTable(results),
    '## What was measured',
    table(
      ['', 'what it is', 'versions', 'settings'],
      results.contestants.map(({ name, what, versions: own, settings }) => [name, what, own, settings]),
    ),
    '## How',
    ...describeMethod(results),
    `Rounds thrown out: ${discarded.length} of ${results.samples.length}.`,
    discarded.length > 0 ? discardedTable(discarded) : '',
    results.remarks.length > 0
      ? `Remarks:\n\n${results.remarks.map((remark) => `- ${remark}`).join('\n')}`
      : '',
  ];
  return format(sections.filter((section) => section !== '').join('\n\n'), {
    parser: 'markdown',
    printWidth: 110,
  });
}

/** The few lines that end a run on the terminal. */
export function renderSummary(results: Results): string {
  const lines = results.workloads.flatMap(({ id, title }) => [
    `\n${title}`,
    ...results.contestants.flatMap(({ id: contestant, name }) => {
      const spread = spreadOfCell(results, cellOf(results, id, contestant));
      if (!spread) return [];
      const latency = latencyFigures(results, contestant, id);
      return [
        `  ${name.padEnd(24)}${shortNumber(spread.median).padStart(8)}/s  ${figures(results, contestant, id).padEnd(18)} ${latency && `${latency} ms`}`,
      ];
    }),
  ]);
  return [...lines, ...results.remarks, ''].join('\n');
}

function targetTable(results: Results): string {
  return table(
    ['', 'to reach', 'measured', ''],
    targetsOf(results).map(({ what, atLeast, measured, isReached }) => [
      what,
      atLeast,
      measured ?? 'not measured',
      isReached === undefined ? '' : isReached ? 'reached' : '**not reached**',
    ]),
  );
}

function whatWasTried(results: Results): string {
  const missed = targetsOf(results).filter(({ isReached }) => isReached === false);
  if (missed.length === 0) return '';
  const tried = missed.map((target) => `- **${target.what}:** ${target.tried}`);
  return `What was tried for those that are not reached:\n\n${tried.join('\n')}`;
}

/** A row for each contestant, a column for each workload in which at least one has a figure. */
function contestantTable(results: Results, cell: (id: string, workload: string) => string): string {
  const columns = results.workloads.filter(({ id }) =>
    results.contestants.some((contestant) => cell(contestant.id, id) !== ''),
  );
  if (columns.length === 0) return 'Not measured.';
  const rows = results.contestants.map(({ id, name }: ContestantEntry) => [
    name,
    ...columns.map((column) => cell(id, column.id)),
  ]);
  return table(
    ['', ...columns.map(({ title }) => title)],
    rows.filter((row) => row.slice(1).some((text) => text !== '')),
  );
}

function figures(results: Results, id: string, workload: string): string {
  const cell = cellOf(results, workload, id);
  const micros = spreadOfCell(results, cell, ({ cpuMicrosPerRequest }) => cpuMicrosPerRequest);
  const memory = spreadOfCell(results, cell, ({ peakMemoryMb }) => peakMemoryMb);
  return micros && memory ? `${shortNumber(micros.median)} µs, ${Math.round(memory.median)} MB` : '';
}

function latencyFigures(results: Results, id: string, workload: string): string {
  const cell = cellOf(results, workload, id);
  const p50 = latencySpread(results, cell, ({ p50Ms }) => p50Ms);
  const p99 = latencySpread(results, cell, ({ p99Ms }) => p99Ms);
  if (!p50 || !p99) return '';
  const [lowest, highest] = [shortNumber(p99.lowest), shortNumber(p99.highest)];
  return `${shortNumber(p50.median)} / ${shortNumber(p99.median)} (${lowest} to ${highest})`;
}

function ratesLine({ latencies, workloads }: Results): string {
  const rates = workloads.flatMap(({ id, title }) => {
    const own = latencies.filter(({ workload }) => workload === id).map(({ rate }) => shortNumber(rate));
    return own.length > 0 ? [`${title}: ${[...new Set(own)].join(' and ')}/s`] : [];
  });
  if (rates.length === 0) return '';
  const lagOf = (isPostgres: boolean): string => {
    const lags = latencies.filter(({ contestant }) => ofPostgres(contestant) === isPostgres);
    return shortNumber(spreadOf(lags.map(({ generatorLagP99Ms }) => generatorLagP99Ms))?.median ?? 0);
  };
  const onPostgres = latencies.some(({ contestant }) => ofPostgres(contestant))
    ? `, and by ${lagOf(true)} ms on PostgreSQL, where it sleeps between requests to leave its core to the database`
    : '';
  return `Rates: ${rates.join('; ')}. In 99 of 100 requests the generator itself was late by at most ${lagOf(false)} ms in the median round${onPostgres}. That is part of the figures.`;
}

/** A rate that somebody cannot sustain compares nothing, so that is said. */
function latecomersLine({ latencies, contestants, workloads }: Results): string {
  const late = latencies.filter(
    ({ answeredPerSecond, rate, errors }) => errors > 0 || answeredPerSecond < rate * 0.95,
  );
  const names = late.map(({ contestant, workload }) => {
    const name = contestants.find(({ id }) => id === contestant)?.name ?? contestant;
    return `${name} (${workloads.find(({ id }) => id === workload)?.title ?? workload})`;
  });
  return late.length > 0 ? `Did not keep up in at least one round: ${[...new Set(names)].join(', ')}.` : '';
}

function sizeTable(results: Results): string {
  const sizes = [...new Set(results.samples.map(({ pets }) => pets))].toSorted((a, b) => a - b);
  const rows = results.workloads.map(({ id, title }) => [
    title,
    ...sizes.map((pets) => {
      const spread = spreadOfCell(results, cellOf(results, id, 'petstore', { pets }));
      return spread ? shortNumber(spread.median) : '';
    }),
  ]);
  return table(['requests a second', ...sizes.map(shortNumber)], rows);
}

function discardedTable(samples: readonly Sample[]): string {
  return table(
    ['', 'workload', 'pets', 'round', 'why'],
    samples.map(({ contestant, workload, pets, round, discarded = '' }) => [
      contestant,
      workload,
      shortNumber(pets),
      String(round),
      discarded,
    ]),
  );
}

function ofPostgres(id: string): boolean {
  return ['petstore-postgres', 'fastify-pg', 'elysia-postgres'].includes(id);
}
