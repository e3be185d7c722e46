import { embeddedPeers, postgresPeers } from '../contestants/contestants.ts';
import type { Results } from './results.ts';
import { cellOf, describeSpread, fastest, ratio, rounded, spreadOfCell, type Spread } from './statistics.ts';

interface Bound {
  what: string;
  bound: string;
  /** Undefined when this run has not measured it. */
  measured: string | undefined;
  isReached: boolean | undefined;
}

const [smallest, largest] = [1000, 10_000_000];

/** What users are promised, with what was measured. The medians of three quiet runs hold each with a margin. */
export function boundsOf(results: Results): Bound[] {
  const own = (workload: string, more = {}) => cellOf(results, workload, 'petstore', more);
  const embedded = (workload: string) => toFastest(results, workload, 'petstore', embeddedPeers);
  const onPostgres = (workload: string) => toFastest(results, workload, 'petstore-postgres', postgresPeers);
  const [busy, quiet] = [own('slow-disk-busy'), own('slow-disk-quiet')];
  const p99 = ratio(results, busy, quiet, 'p99Ms');
  return [
    atLeast('hot list to the least server', 0.65, toFastest(results, 'list', 'petstore', ['limit-least'])),
    atLeast('hot list to the fastest peer', 2.5, embedded('list')),
    atLeast('random pages to the fastest peer', 1.2, embedded('list-random')),
    atLeast('durable create to the fastest peer', 2.5, embedded('create')),
    atLeast('hot list to the fastest peer, on PostgreSQL', 4, onPostgres('list')),
    atLeast('random pages to the fastest peer, on PostgreSQL', 1.1, onPostgres('list-random')),
    atLeast('HttpArena’s crud to the fastest peer, on PostgreSQL', 0.9, onPostgres('crud')),
    atMost('list p99 while creates run on the 5 ms disk, to the quiet p99', 3, '×', p99?.median, p99),
    atLeast('list throughput while creates run on the 5 ms disk, to quiet', 0.5, ratio(results, busy, quiet)),
    ofLargestSize(results),
    atMost('memory under full load, 10^7 pets', 100, ' MB', worst(results, 'peakMemoryMb')),
    atMost('start to ready, 10^7 pets', 250, ' ms', worst(results, 'readyMs')),
  ];
}

/** What depends on the runtime or the disk more than on the service, so it has no bound. */
export function observationsOf(results: Results): string[] {
  const cold = results.workloads.filter(({ id }) => id.endsWith('-cold'));
  const ofCold = cold.map(({ id, title }): [string, Spread | undefined] => {
    const base = cellOf(results, id.replace('-cold', ''), 'petstore', { pets: smallest });
    return [
      `10^7 pets against 10^3 in memory: ${title}`,
      ratio(results, { ...base, workload: id, pets: largest }, base),
    ];
  });
  const toBare = toFastest(results, 'list', 'petstore', ['limit-bun']);
  const observed = [['hot list to the bare server', toBare] as const, ...ofCold];
  return observed.flatMap(([what, spread]) => (spread ? `${what}: ${describeSpread(spread)}` : []));
}

/** A contestant against the fastest of others. */
function toFastest(results: Results, workload: string, id: string, others: string[]): Spread | undefined {
  const base = cellOf(results, workload, fastest(results, workload, others) ?? '');
  return ratio(results, { ...base, contestant: id }, base);
}

/** The workload that loses most with size counts. */
function ofLargestSize(results: Results): Bound {
  const at = (id: string, pets: number) => cellOf(results, id, 'petstore', { pets });
  const [loss] = results.workloads
    .flatMap(({ id, title }) => {
      const spread = ratio(results, at(id, largest), at(id, smallest));
      return spread ? [{ title, spread }] : [];
    })
    .toSorted((a, b) => a.spread.median - b.spread.median);
  const slowest = loss ? `, the slowest workload (${loss.title})` : '';
  return atLeast(`10^7 pets against 10^3${slowest}`, 0.7, loss?.spread);
}

/** The largest median of all workloads at the largest size. */
function worst(results: Results, figure: 'peakMemoryMb' | 'readyMs'): number | undefined {
  const cells = results.workloads.map(({ id }) => cellOf(results, id, 'petstore', { pets: largest }));
  const medians = cells.flatMap((cell) => spreadOfCell(results, cell, figure)?.median ?? []);
  return medians.length > 0 ? Math.max(...medians) : undefined;
}

function atLeast(what: string, bound: number, spread: Spread | undefined): Bound {
  const measured = spread && describeSpread(spread);
  return { what, bound: `at least ${bound}×`, measured, isReached: spread && spread.median >= bound };
}

function atMost(what: string, bound: number, unit: string, value?: number, spread?: Spread): Bound {
  const measured = spread ? describeSpread(spread) : value && `${rounded(value)}${unit}`;
  const isReached = value === undefined ? undefined : value <= bound;
  return { what, bound: `at most ${bound}${unit}`, measured: measured || undefined, isReached };
}
