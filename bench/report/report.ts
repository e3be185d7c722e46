import { join } from 'node:path';
import { format } from 'prettier';
import { drawOverview } from './overview.ts';
import type { Cell, Results } from './results.ts';
import {
  cellOf,
  describeSpread,
  isOnPostgres,
  ratio,
  shortNumber,
  spreadOf,
  spreadOfCell,
} from './statistics.ts';
import { targetsOf } from './targets.ts';

const benchFolder = join(import.meta.dir, '..');
/** If other programs take more than this in half of the rounds, the figures say little. */
const quietCores = 0.1;

// Makes the report again from the results that are kept: bun bench/report/report.ts
if (import.meta.main)
  await writeReport((await Bun.file(join(benchFolder, 'results/latest.json')).json()) as Results);

/** Writes RESULTS.md, the chart and the raw results, one line per sample. */
export async function writeReport(results: Results, folder = benchFolder): Promise<void> {
  const short = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toPrecision(6)) : value;
  const raw = JSON.stringify(results, short).replaceAll('},{', '},\n{').replaceAll('[{', '[\n{');
  await Bun.write(join(folder, 'results/latest.json'), `${raw}\n`);
  await Bun.write(join(folder, 'results/overview.svg'), drawOverview(results));
  await Bun.write(join(folder, 'RESULTS.md'), await renderResults(results));
}

export async function renderResults(results: Results): Promise<string> {
  const { machine, method, samples } = results;
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  const discarded = samples.filter((sample) => sample.discarded !== undefined);
  const reasons = discarded.map(
    (own) =>
      `${own.contestant}, ${own.workload}, ${shortNumber(own.pets)} pets, round ${own.round}: ${own.discarded}`,
  );
  const outcome = { true: 'reached', false: '**not reached**', undefined: '' };
  const bounds = targetsOf(results).map(({ what, bound, measured = 'not measured', isReached }) => {
    return [what, bound, measured, outcome[`${isReached}`]];
  });
  const contestants = results.contestants.map((own) => [own.name, own.what, own.versions, own.settings]);
  const sections = [
    '# Results',
    `${results.startedAt.slice(0, 10)}, ${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.kernel}. ${versions.join(', ')}. Made by \`npm run bench\` from [results/latest.json](results/latest.json). Absolute figures belong to this machine; ratios travel better. [docs/performance.md](../docs/performance.md) explains them.`,
    '![Requests a second](results/overview.svg)',
    '## Bounds',
    table(['', 'bound', 'measured', ''], bounds),
    `## Throughput at ${shortNumber(method.pets)} pets`,
    'Requests a second, median of the rounds.',
    contestantTable(results, (cell) => medianOf(results, cell)),
    '## How many times as fast',
    'The service against each contestant in the same round: the median of the rounds, with the lowest and the highest.',
    contestantTable(results, (cell) => {
      const own = isOnPostgres(cell.contestant) ? 'petstore-postgres' : 'petstore';
      const spread = ratio(results, { ...cell, contestant: own }, cell);
      return spread && cell.contestant !== own ? describeSpread(spread) : '';
    }),
    '## Processor time and memory',
    'Microseconds of processor time per request, all threads; the largest resident memory of one process.',
    contestantTable(results, (cell) => {
      const memory = spreadOfCell(results, cell, 'peakMemoryMb');
      const micros = medianOf(results, cell, 'cpuMicrosPerRequest');
      return memory ? `${micros} µs, ${Math.round(memory.median)} MB` : '';
    }),
    '## Latency',
    'In milliseconds: p50 / p99, the medians of the rounds, and the lowest and the highest p99.',
    contestantTable(results, (cell) => {
      const p99 = spreadOfCell(results, cell, 'p99Ms');
      if (!p99) return '';
      const [median, lowest, highest] = [p99.median, p99.lowest, p99.highest].map(shortNumber);
      return `${medianOf(results, cell, 'p50Ms')} / ${median} (${lowest} to ${highest})`;
    }),
    describeRates(results),
    describeLatecomers(results),
    '## By number of pets',
    sizeTable(results),
    '## Contestants',
    table(['', 'what it is', 'versions', 'settings'], contestants),
    '## Method',
    describeMethod(results),
    `Rounds discarded: ${discarded.length} of ${samples.length}.`,
    [...reasons, ...results.remarks].map((line) => `- ${line}`).join('\n'),
  ];
  const text = sections.filter((section) => section !== '').join('\n\n');
  return format(text, { parser: 'markdown', printWidth: 110 });
}

/** A row for each contestant and a column for each workload, as far as there are figures. */
function contestantTable(results: Results, describe: (cell: Cell) => string): string {
  const { contestants, workloads } = results;
  const text = (contestant: string, workload: string) => describe(cellOf(results, workload, contestant));
  const columns = workloads.filter(({ id }) => contestants.some((own) => text(own.id, id) !== ''));
  if (columns.length === 0) return 'Not measured.';
  const rows = contestants
    .map(({ id, name }) => [name].concat(columns.map((column) => text(id, column.id))))
    .filter((row) => row.slice(1).some((own) => own !== ''));
  return table(['', ...columns.map(({ title }) => title)], rows);
}

function sizeTable(results: Results): string {
  const sizes = [...new Set(results.samples.map(({ pets }) => pets))].toSorted((a, b) => a - b);
  const rows = results.workloads.map(({ id, title }) => {
    return [title, ...sizes.map((pets) => medianOf(results, cellOf(results, id, 'petstore', { pets })))];
  });
  return table(['requests a second', ...sizes.map(shortNumber)], rows);
}

function medianOf(...cell: Parameters<typeof spreadOfCell>): string {
  const spread = spreadOfCell(...cell);
  return spread ? shortNumber(spread.median) : '';
}

function describeRates({ latencies, workloads }: Results): string {
  if (latencies.length === 0) return '';
  const rates = workloads.flatMap(({ id, title }) => {
    const own = latencies.filter(({ workload }) => workload === id).map(({ rate }) => shortNumber(rate));
    return own.length > 0 ? [`${title}: ${[...new Set(own)].join(' and ')}/s`] : [];
  });
  const lag = (onPostgres: boolean): string => {
    const own = latencies.filter(({ contestant }) => isOnPostgres(contestant) === onPostgres);
    return shortNumber(spreadOf(own.map(({ generatorLagP99Ms }) => generatorLagP99Ms))?.median ?? 0);
  };
  return `Rates: ${rates.join('; ')}. The p99 of the generator’s own lateness, which is part of the figures: ${lag(false)} ms, on PostgreSQL ${lag(true)} ms.`;
}

/** A rate that somebody cannot sustain compares nothing. */
function describeLatecomers({ latencies, contestants, workloads }: Results): string {
  const late = latencies.filter((own) => own.errors > 0 || own.answeredPerSecond < own.rate * 0.95);
  const names = late.map(({ contestant, workload }) => {
    const name = contestants.find(({ id }) => id === contestant)?.name;
    return `${name} (${workloads.find(({ id }) => id === workload)?.title})`;
  });
  return late.length > 0 ? `Did not keep up in at least one round: ${[...new Set(names)].join(', ')}.` : '';
}

/** How the figures of this run came about; docs/performance.md gives the reasons. */
function describeMethod(results: Results): string {
  const { method, samples } = results;
  const turnSeconds = method.secondsPerRound / method.turnsPerRound;
  const two = cellOf(results, 'processes', 'petstore', { processes: 2 });
  const load = spreadOfCell(results, two, 'loadCores');
  const processes = load
    ? `- Two processes: on two cores, the load generator has no core of its own and shares theirs, of which it took ${Number(load.median.toPrecision(2))}. One process is measured with the load generator on the other core.\n`
    : '';
  const alone = samples.filter((own) => !isOnPostgres(own.contestant) && own.workload !== 'slow-disk-busy');
  const others = spreadOf(alone.map(({ otherCores }) => otherCores)) ?? { median: 0, highest: 0 };
  const isBusy = others.median > quietCores;
  return `
- Before anything is measured, every peer must give the same responses as the service: pets, links, and refusals of wrong keys, parameters and bodies. Creates must take as long as a sync of the disk.
- Throughput: wrk, keep-alive, no pipelining, ${method.connections} connections. The server has one core, the load generator the rest. ${method.rounds} rounds. In each, all contestants of a workload start as fresh processes on fresh copies of the data, in another order each time, warm up (${method.warmUp}), and take ${method.turnsPerRound} turns of ${turnSeconds} s. A round in which the load generator was the bottleneck is discarded.
- With ten million pets, workloads that only read share one store. Empty cells were left out to keep a run short, or cannot be measured: Elysia and PocketBase make no ETag; json-server, PocketBase and PostgreSQL do not sync through the slowed C library.
- Latency: ${method.rounds} rounds of ${method.latencySeconds} s, or as long as 1000 requests take, at one constant rate per workload and store: half of what the slowest contestant did in its slowest round. A request counts from the moment it was due, so a server that stalls is not spared requests (coordinated omission).
- Processor time and memory come from \`/proc\`, for all threads and processes of the server, without those of PostgreSQL, which runs on the cores of the load generator.
- 5 ms disk: a preloaded library makes every fsync and fdatasync take 5 ms longer.
${processes}- Other programs took ${Number(others.median.toFixed(2))} cores in the median round, ${Number(others.highest.toFixed(2))} in the worst.${isBusy ? ' **The machine was not quiet: do not use these figures.**' : ''}`;
}

/** A Markdown table; prettier aligns it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
