import { join } from 'node:path';
import { contestantOf, isOnPostgres } from '../contestants/contestants.ts';
import { boundsOf, observationsOf } from './bounds.ts';
import { drawOverview } from './overview.ts';
import type { Results } from './results.ts';
import { cellOf, shortNumber, spreadOf, spreadOfCell, type Figure } from './statistics.ts';

const benchFolder = join(import.meta.dir, '..');
/** If other programs take more than this in half of the rounds, the figures say little. */
const quietCores = 0.1;

// Makes the report again from the results that are kept: bun bench/report/report.ts
if (import.meta.main)
  await writeReport((await Bun.file(join(benchFolder, 'results/latest.json')).json()) as Results);

/** Writes the raw results, the chart and RESULTS.md. */
export async function writeReport(measured: Results, folder = benchFolder): Promise<void> {
  const kept = toLines(measured);
  // Rounded as they are stored, so a report made again is the same.
  const results = JSON.parse(kept) as Results;
  await Bun.write(join(folder, 'results/latest.json'), kept);
  await Bun.write(join(folder, 'results/overview.svg'), drawOverview(results));
  await Bun.write(join(folder, 'RESULTS.md'), renderResults(results));
}

/** The main figures, as one page. */
export function renderResults(results: Results): string {
  const { machine, method, samples } = results;
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  const reasons = samples.flatMap(({ discarded = [] }) => discarded);
  const outcome = { true: 'reached', false: '**not reached**', undefined: 'not measured' };
  const bounds = boundsOf(results).map(({ what, bound, measured, isReached }) => {
    return `- ${what}: ${measured === undefined ? '' : `${measured}, `}${outcome[`${isReached}`]} (${bound})`;
  });
  const sections = [
    '# Results',
    `${results.startedAt.slice(0, 10)}, ${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.kernel}. ${versions.join(', ')}.`,
    '`npm run bench` writes this page. [results/latest.json](results/latest.json) has every figure of each round, with processor time, memory, latency and other numbers of pets. [docs/performance.md](../docs/performance.md) explains the method. Absolute figures belong to this machine; ratios travel better.',
    '![Requests a second](results/overview.svg)',
    '## Bounds',
    'What the service is held to, with what was measured: the median of the rounds, with the lowest and the highest. Ratios are made within a round. [docs/performance.md](../docs/performance.md#bounds) explains them.',
    bounds.join('\n'),
    'Observed, without a bound:',
    observationsOf(results)
      .map((line) => `- ${line}`)
      .join('\n') || 'Nothing.',
    '## Throughput',
    `Requests a second with ${shortNumber(method.pets)} pets: the median of ${method.rounds} rounds, one core for the server, ${method.connections} connections. An empty cell was left out or cannot be measured.`,
    workloadTable(results, 'requestsPerSecond'),
    '## Latency',
    'The p99 in milliseconds, from the moment a request was due, at one constant rate per workload and store.',
    workloadTable(results, 'p99Ms'),
    describeLatecomers(results),
    '## Rounds',
    describeMachineLoad(results),
    `Rounds discarded: ${reasons.length} of ${samples.length}.`,
    [...new Set(reasons), ...results.remarks].map((line) => `- ${line}`).join('\n'),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** A row for each workload and a column for each contestant, as far as there are figures. */
function workloadTable(results: Results, figure: Figure): string {
  const { contestants, workloads } = results;
  const text = (workload: string, contestant: string): string => {
    const spread = spreadOfCell(results, cellOf(results, workload, contestant), figure);
    return spread ? shortNumber(spread.median) : '';
  };
  const columns = contestants.filter(({ id }) => workloads.some((own) => text(own.id, id) !== ''));
  if (columns.length === 0) return 'Not measured.';
  const rows = workloads
    .map(({ id, title }) => [title].concat(columns.map((column) => text(id, column.id))))
    .filter((row) => row.slice(1).some((own) => own !== ''));
  return table(['', ...columns.map(({ name }) => name)], rows);
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

/** What else ran on the machine. */
function describeMachineLoad(results: Results): string {
  const alone = results.samples.filter(
    (own) => !isOnPostgres(contestantOf(own.contestant)) && own.workload !== 'slow-disk-busy',
  );
  const others = spreadOf(alone.map(({ otherCores }) => otherCores));
  if (!others) return 'What else ran on the machine is unknown.';
  const warning = ' **The machine was not quiet: do not use these figures.**';
  return `Other programs took ${Number(others.median.toFixed(2))} cores in the median round, ${Number(others.highest.toFixed(2))} in the worst.${others.median > quietCores ? warning : ''}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** JSON with a line for each entry of its lists. */
function toLines(value: unknown): string {
  const short = (_: string, own: unknown): unknown =>
    typeof own === 'number' ? Number(own.toPrecision(6)) : own;
  return `${JSON.stringify(value, short).replaceAll('},{', '},\n{').replaceAll('[{', '[\n{')}\n`;
}
