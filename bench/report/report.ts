import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'prettier';
import { describeMethod } from './method.ts';
import { drawOverview } from './overview.ts';
import type { Results, Sample } from './results.ts';
import * as statistics from './statistics.ts';
import { targetsOf } from './targets.ts';

const { cellOf, describeSpread, isOnPostgres, latencySpread, ratio, shortNumber, spreadOf, spreadOfCell } =
  statistics;
const benchFolder = join(import.meta.dir, '..');

// Makes the report again from the results that are kept: bun bench/report/report.ts
if (import.meta.main) {
  const results = (await Bun.file(join(benchFolder, 'results/latest.json')).json()) as Results;
  process.stdout.write(`${await writeReport(results)}\n`);
}

/** Writes RESULTS.md, the chart and the raw results into a folder. Returns the path of the report. */
export async function writeReport(results: Results, folder = benchFolder): Promise<string> {
  await mkdir(join(folder, 'results'), { recursive: true });
  await Bun.write(join(folder, 'results/latest.json'), renderRaw(results));
  await Bun.write(join(folder, 'results/overview.svg'), drawOverview(results));
  const path = join(folder, 'RESULTS.md');
  await Bun.write(path, await renderResults(results));
  return path;
}

export async function renderResults(results: Results): Promise<string> {
  const { machine, method, remarks } = results;
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  const discarded = results.samples.filter((sample) => sample.discarded !== undefined);
  const sections = [
    '# Results',
    `${results.startedAt.slice(0, 10)}, ${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.kernel}. ${versions.join(', ')}. Made by \`npm run bench\` from [results/latest.json](results/latest.json). Absolute figures belong to this machine; ratios travel better. [docs/performance.md](../docs/performance.md) explains them.`,
    '![Requests a second](results/overview.svg)',
    '## Bounds',
    table(
      ['', 'bound', 'measured', ''],
      targetsOf(results).map(({ what, bound, measured = 'not measured', isReached }) => [
        ...[what, bound, measured],
        isReached === undefined ? '' : isReached ? 'reached' : '**not reached**',
      ]),
    ),
    `## Throughput at ${shortNumber(method.pets)} pets`,
    'Requests a second, median of the rounds.',
    contestantTable(results, (id, workload) => {
      const spread = spreadOfCell(results, cellOf(results, workload, id));
      return spread ? shortNumber(spread.median) : '';
    }),
    '## How many times as fast',
    'The service against each contestant in the same round: the median of the rounds, with the lowest and the highest.',
    contestantTable(results, (id, workload) => {
      const own = isOnPostgres(id) ? 'petstore-postgres' : 'petstore';
      const spread = ratio(results, cellOf(results, workload, own), cellOf(results, workload, id));
      return spread && id !== own ? describeSpread(spread) : '';
    }),
    '## Processor time and memory',
    'Microseconds of processor time per request, all threads; the largest resident memory of one process.',
    contestantTable(results, (id, workload) => costOf(results, id, workload)),
    '## Latency',
    'In milliseconds: p50 / p99, the medians of the rounds, and the lowest and the highest p99.',
    contestantTable(results, (id, workload) => latencyOf(results, id, workload)),
    describeRates(results),
    describeLatecomers(results),
    '## By number of pets',
    sizeTable(results),
    '## Contestants',
    table(
      ['', 'what it is', 'versions', 'settings'],
      results.contestants.map(({ name, what, versions: own, settings }) => [name, what, own, settings]),
    ),
    '## Method',
    describeMethod(results),
    `Rounds discarded: ${discarded.length} of ${results.samples.length}.`,
    [...discarded.map(describeDiscarded), ...remarks].map((line) => `- ${line}`).join('\n'),
  ];
  const text = sections.filter((section) => section !== '').join('\n\n');
  return format(text, { parser: 'markdown', printWidth: 110 });
}

/** The few lines that end a run on the terminal. */
export function renderSummary(results: Results): string {
  const lines = results.workloads.flatMap(({ id, title }) => [
    `\n${title}`,
    ...results.contestants.flatMap(({ id: contestant, name }) => {
      const spread = spreadOfCell(results, cellOf(results, id, contestant));
      if (!spread) return [];
      const speed = `${shortNumber(spread.median).padStart(8)}/s`;
      const cost = costOf(results, contestant, id).padEnd(18);
      return [`  ${name.padEnd(24)}${speed}  ${cost} ${latencyOf(results, contestant, id)}`.trimEnd()];
    }),
  ]);
  return [...lines, ...results.remarks, ''].join('\n');
}

/** One line per sample, so that runs can be compared with diff. */
function renderRaw(results: Results): string {
  const short = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toPrecision(6)) : value;
  const fields = Object.entries(results).map(([name, value]: [string, unknown]) => {
    const text = Array.isArray(value)
      ? `[\n${value.map((item) => JSON.stringify(item, short)).join(',\n')}\n]`
      : JSON.stringify(value);
    return `"${name}": ${text}`;
  });
  return `{\n${fields.join(',\n')}\n}\n`;
}

/** A row for each contestant and a column for each workload, as far as there are figures. */
function contestantTable(results: Results, cell: (id: string, workload: string) => string): string {
  const { contestants, workloads } = results;
  const columns = workloads.filter(({ id }) =>
    contestants.some((contestant) => cell(contestant.id, id) !== ''),
  );
  if (columns.length === 0) return 'Not measured.';
  const rows = contestants.map(({ id, name }) => [name, ...columns.map((column) => cell(id, column.id))]);
  const filled = rows.filter((row) => row.slice(1).some((text) => text !== ''));
  return table(['', ...columns.map(({ title }) => title)], filled);
}

function sizeTable(results: Results): string {
  const sizes = [...new Set(results.samples.map(({ pets }) => pets))].toSorted((a, b) => a - b);
  const speedOf = (id: string, pets: number): string => {
    const spread = spreadOfCell(results, cellOf(results, id, 'petstore', { pets }));
    return spread ? shortNumber(spread.median) : '';
  };
  const rows = results.workloads.map(({ id, title }) => [title, ...sizes.map((pets) => speedOf(id, pets))]);
  return table(['requests a second', ...sizes.map(shortNumber)], rows);
}

function costOf(results: Results, id: string, workload: string): string {
  const cell = cellOf(results, workload, id);
  const micros = spreadOfCell(results, cell, ({ cpuMicrosPerRequest }) => cpuMicrosPerRequest);
  const memory = spreadOfCell(results, cell, ({ peakMemoryMb }) => peakMemoryMb);
  return micros && memory ? `${shortNumber(micros.median)} µs, ${Math.round(memory.median)} MB` : '';
}

function latencyOf(results: Results, id: string, workload: string): string {
  const cell = cellOf(results, workload, id);
  const p50 = latencySpread(results, cell, ({ p50Ms }) => p50Ms);
  const p99 = latencySpread(results, cell, ({ p99Ms }) => p99Ms);
  if (!p50 || !p99) return '';
  const [lowest, highest] = [shortNumber(p99.lowest), shortNumber(p99.highest)];
  return `${shortNumber(p50.median)} / ${shortNumber(p99.median)} (${lowest} to ${highest})`;
}

function describeRates({ latencies, workloads }: Results): string {
  const rates = workloads.flatMap(({ id, title }) => {
    const own = latencies.filter(({ workload }) => workload === id).map(({ rate }) => shortNumber(rate));
    return own.length > 0 ? [`${title}: ${[...new Set(own)].join(' and ')}/s`] : [];
  });
  const lags = Map.groupBy(latencies, ({ contestant }) => isOnPostgres(contestant));
  const lag = (isPostgres: boolean): string =>
    shortNumber(spreadOf((lags.get(isPostgres) ?? []).map((own) => own.generatorLagP99Ms))?.median ?? 0);
  if (rates.length === 0) return '';
  return `Rates: ${rates.join('; ')}. The p99 of the generator’s own lateness, which is part of the figures: ${lag(false)} ms, on PostgreSQL ${lag(true)} ms.`;
}

/** A rate that somebody cannot sustain compares nothing, so the report says so. */
function describeLatecomers({ latencies, contestants, workloads }: Results): string {
  const late = latencies.filter((own) => own.errors > 0 || own.answeredPerSecond < own.rate * 0.95);
  const names = late.map(({ contestant, workload }) => {
    const name = contestants.find(({ id }) => id === contestant)?.name ?? contestant;
    return `${name} (${workloads.find(({ id }) => id === workload)?.title ?? workload})`;
  });
  return late.length > 0 ? `Did not keep up in at least one round: ${[...new Set(names)].join(', ')}.` : '';
}

function describeDiscarded({ contestant, workload, pets, round, discarded }: Sample): string {
  return `${contestant}, ${workload}, ${shortNumber(pets)} pets, round ${round}: ${discarded}`;
}

/** A Markdown table; prettier aligns it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ').replaceAll('\n', ' ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
