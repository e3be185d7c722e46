import type { Results } from './results.ts';
import { cellOf, describeSpread, fastest, ratio, rounded, spreadOfCell, type Spread } from './statistics.ts';

interface Target {
  what: string;
  bound: string;
  /** Undefined when this run has not measured it. */
  measured: string | undefined;
  isReached: boolean | undefined;
}

const [smallest, largest] = [1000, 10_000_000];
const embeddedPeers = ['fastify', 'express', 'hono-node', 'elysia'];

/** The bounds that the service is held to, with what was measured. */
export function targetsOf(results: Results): Target[] {
  const own = (workload: string, more = {}) => cellOf(results, workload, 'petstore', more);
  const versus = (workload: string, other: string | string[], id = 'petstore'): Spread | undefined => {
    const base = typeof other === 'string' ? other : (fastest(results, workload, other) ?? '');
    return ratio(results, cellOf(results, workload, id), cellOf(results, workload, base));
  };
  const onPostgres = (workload: string) => versus(workload, 'fastify-pg', 'petstore-postgres');
  const [busy, quiet] = [own('slow-disk-busy'), own('slow-disk-quiet')];
  const p99 = ratio(results, busy, quiet, 'p99Ms');
  const processes = ratio(results, own('processes', { processes: 2 }), own('processes'));
  return [
    atLeast('hot list, embedded, to the limit', 0.85, versus('list', 'limit-bun')),
    atLeast('random pages, embedded, to the fastest peer', 1.5, versus('list-random', embeddedPeers)),
    atLeast('hot list to the fastest peer', 3, versus('list', embeddedPeers)),
    atLeast('hot list to Fastify', 8, versus('list', 'fastify')),
    atLeast('durable create to the fastest embedded peer', 3.3, versus('create', embeddedPeers)),
    atLeast('durable create to the limit’s POST', 0.4, versus('create', 'limit-bun')),
    atMost('list p99 while creates run on the 5 ms disk, to the quiet p99', 3, '×', p99?.median, p99),
    atLeast('list throughput while creates run on the 5 ms disk, to quiet', 0.5, ratio(results, busy, quiet)),
    atLeast('hot list on PostgreSQL to Fastify + pg', 5, onPostgres('list')),
    atLeast('random pages on PostgreSQL to Fastify + pg', 1.2, onPostgres('list-random')),
    ofLargestSize(results),
    atLeast('2 processes against 1', 1.6, processes),
    atMost('memory under full load, 10^7 pets', 100, ' MB a process', worst(results, 'peakMemoryMb')),
    atMost('start to ready, 10^7 pets', 200, ' ms', worst(results, 'readyMs')),
  ];
}

/** The workload that loses most with size counts; others that lose too much are named as well. */
function ofLargestSize(results: Results): Target {
  const bound = 0.8;
  const at = (id: string, pets: number) => cellOf(results, id, 'petstore', { pets });
  const losses = results.workloads
    .flatMap(({ id, title }) => {
      const spread = ratio(results, at(id, largest), at(id, smallest));
      return spread ? [{ title, spread }] : [];
    })
    .toSorted((a, b) => a.spread.median - b.spread.median);
  const target = atLeast('10^7 pets against 10^3, the slowest workload', bound, losses[0]?.spread);
  const shown = losses.filter(({ spread }, index) => index === 0 || spread.median < bound);
  // From a disk that is no part of the service, so without a bound.
  const cold = results.workloads.flatMap(({ id, title }) => {
    const spread = id.endsWith('-cold')
      ? ratio(results, at(id, largest), at(id.replace('-cold', ''), smallest))
      : undefined;
    return spread ? [{ title, spread }] : [];
  });
  const measured = [...shown, ...cold].map(({ title, spread }) => `${describeSpread(spread)}: ${title}`);
  return { ...target, measured: measured.join('; ') || undefined };
}

/** The largest median of all workloads at the largest size. */
function worst(results: Results, figure: 'peakMemoryMb' | 'readyMs'): number | undefined {
  const cells = results.workloads.map(({ id }) => cellOf(results, id, 'petstore', { pets: largest }));
  const medians = cells.flatMap((cell) => spreadOfCell(results, cell, figure)?.median ?? []);
  return medians.length > 0 ? Math.max(...medians) : undefined;
}

function atLeast(what: string, bound: number, spread: Spread | undefined): Target {
  const measured = spread && describeSpread(spread);
  return { what, bound: `at least ${bound}×`, measured, isReached: spread && spread.median >= bound };
}

function atMost(what: string, bound: number, unit: string, value?: number, spread?: Spread): Target {
  const measured = spread ? describeSpread(spread) : value && `${rounded(value)}${unit}`;
  const isReached = value === undefined ? undefined : value <= bound;
  return { what, bound: `at most ${bound}${unit}`, measured: measured || undefined, isReached };
}
