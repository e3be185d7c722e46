import type { Results } from './results.ts';
import { cellOf, fastest, latencyRatio, ratio, spreadOfCell, type Spread } from './statistics.ts';

export interface Target {
  what: string;
  atLeast: string;
  /** As measured, or undefined when this run has not measured it. */
  measured: string | undefined;
  isReached: boolean | undefined;
  /** For a figure that is not reached: what was tried. */
  tried: string;
}

/** What was tried for a figure that a run did not reach, by the name of the figure. */
const tried: Record<string, string> = {
  'hot list, embedded, to the limit':
    'From 0.54: headers put together once, an accepted key not hashed again, SQLite’s shared memory instead of a pragma, fewer looks at the clock and at the address. Most of the rest is what the runtime takes to make a request readable: a bare server that does nothing but read the address and three headers and add a request id, measured beside the limit at the same time on the same core, had 0.81 to 0.86 of it. The service takes a tenth more than that one, in small parts: its looks at the clock are 2 %, how an answer is put together 1 %, a cheaper way to know a key nothing.',
  'random pages, embedded, to the fastest peer':
    'From 0.51: pets kept as JSON, joined by SQLite where ids have no gap, brackets included, one transaction for the reads of a turn, no planning of a query for each value of its LIMIT, a cheaper ETag and cursor. The checksums of the pets are a tenth of what is left, a third of that in SQLite, which adds them up. One checksum of the whole page takes next to nothing, but to put theirs together for the comparison took longer. Earlier runs had 1.49 and 1.45.',
  'hot list to the fastest peer':
    'As for the limit. With fewer contestants in a round, nearly the same code had 3.2 and 3.7.',
  'hot list to Fastify':
    'As for the limit. Earlier runs, of the same code for it, had 8.04 and 7.48: rounds differ by a third.',
  'durable create, 64 connections, to the fastest peer':
    'From 2.6: the id chosen by the writer instead of RETURNING, a pet rendered once, exact parsing only where a number needs it, no check of the status by SQLite after ours, one timer for all bodies; then 12 % by batches that leave at the end of a turn, texts instead of JSON between the threads, keys that are not read again after our own commits, and fewer promises. Several pets in one INSERT, longer logs between checkpoints and ids kept between batches brought nothing. A peer that syncs every create still does thousands a second on this fast disk; the gain of group commit grows with the time of a sync. Earlier runs, of the same code for it, had 3.81 and 3.63.',
  'durable create to the limit’s POST':
    'The same. Three quarters of what a create takes are the serving thread, of which the bare server needs half; the rest is the writer thread and its commit, which share the one core. A bare server that hands the bytes of a body to a thread, which commits them in the same way, has 0.53 of the limit: between the two are reading and checking the pet (2 of 25 µs), the time limit for bodies (1), and answering as every path does (2).',
  'hot list on PostgreSQL to Fastify + pg':
    'Reads of the same page share one query and its headers, and the sessions keep their plans, which took two thirds off the time of a query.',
  '10^7 pets against 10^3, the slowest workload':
    'A page cache of 16 MB, which holds the inner pages of the index, and one transaction for the reads of a turn. Of ten million pets, nearly every random one is a read from the file (counted: exactly one), half of the difference; the other half is SQLite on memory that no processor cache holds. Pages of 2, 8 or 16 KB are no faster. To map the file would save a third of it, and count as memory of the process.',
  '2 processes against 1':
    'With two cores, the load generator shares those of the two processes; one process is measured beside it. Earlier runs, of nearly the same code, had 1.74 and 1.56.',
};

const smallest = 1000;
const largest = 10_000_000;
const postgresPeers = ['fastify-pg', 'elysia-postgres'];
const embeddedPeers = ['fastify', 'express', 'hono-node', 'elysia', 'nest', 'json-server', 'pocketbase'];

export function targetsOf(results: Results): Target[] {
  const own = (workload: string, more = {}) => cellOf(results, workload, 'petstore', more);
  const versus = (
    workload: string,
    other: string | undefined,
    contestant = 'petstore',
  ): Spread | undefined =>
    other === undefined
      ? undefined
      : ratio(results, cellOf(results, workload, contestant), cellOf(results, workload, other));
  const versusFastest = (workload: string): Spread | undefined =>
    versus(workload, fastest(results, workload, embeddedPeers));
  const memory = largestOf(results, ({ peakMemoryMb }) => peakMemoryMb);
  const ready = largestOf(results, ({ readyMs }) => readyMs);

  return [
    atLeast('hot list, embedded, to the limit', 0.85, versus('list', 'limit-bun')),
    atLeast('random pages, embedded, to the fastest peer', 1.5, versusFastest('list-random')),
    atLeast('hot list to the fastest peer', 3, versusFastest('list')),
    atLeast('hot list to Fastify', 8, versus('list', 'fastify')),
    durableCreate(versusFastest('create'), versus('create', fastest(results, 'create', postgresPeers))),
    atLeast('durable create to the limit’s POST', 0.4, versus('create', 'limit-bun')),
    slowDiskP99(latencyRatio(results, own('slow-disk-busy'), own('slow-disk-quiet'))),
    atLeast(
      'list throughput while creates run on the 5 ms disk, to quiet',
      0.5,
      ratio(results, own('slow-disk-busy'), own('slow-disk-quiet')),
    ),
    atLeast('hot list on PostgreSQL to Fastify + pg', 5, versus('list', 'fastify-pg', 'petstore-postgres')),
    atLeast(
      'random pages on PostgreSQL to Fastify + pg',
      1.2,
      versus('list-random', 'fastify-pg', 'petstore-postgres'),
    ),
    ofLargestSize(results),
    atLeast(
      '2 processes against 1',
      1.6,
      ratio(results, own('processes', { processes: 2 }), own('processes')),
    ),
    atMost('memory under full load, 10^7 pets', 100, memory, ' MB a process'),
    atMost('start to ready, 10^7 pets', 200, ready, ' ms'),
  ];
}

/** A database server makes a peer's creates faster than a file does, with a core of its own; so both are shown. */
function durableCreate(embedded: Spread | undefined, onPostgres: Spread | undefined): Target {
  const [what, bound] = ['durable create, 64 connections, to the fastest peer', 4];
  const target = atLeast(what, bound, embedded);
  if (!embedded || !onPostgres) return target;
  return {
    ...target,
    measured: `${describeSpread(embedded)}: the fastest embedded; ${describeSpread(onPostgres)}: the fastest on PostgreSQL, whose server has the other core`,
    isReached: Math.min(embedded.median, onPostgres.median) >= bound,
  };
}

function slowDiskP99(spread: Spread | undefined): Target {
  const what = 'list p99 while creates run on the 5 ms disk, to the quiet p99';
  const target = atMost(what, 3, spread?.median, '×');
  return spread ? { ...target, measured: describeSpread(spread) } : target;
}

/** Every workload counts, so the one that loses most with size is the figure; the others that lose too much are named. */
function ofLargestSize(results: Results): Target {
  const [what, bound] = ['10^7 pets against 10^3, the slowest workload', 0.8];
  const [worst, ...others] = results.workloads
    .flatMap(({ id, title }) => {
      const at = (pets: number) => cellOf(results, id, 'petstore', { pets });
      const spread = ratio(results, at(largest), at(smallest));
      return spread ? [{ title, spread }] : [];
    })
    .toSorted((a, b) => a.spread.median - b.spread.median);
  const target = atLeast(what, bound, worst?.spread);
  if (!worst) return target;
  const shown = [worst, ...others.filter(({ spread }) => spread.median < bound)];
  const measured = shown.map(({ title, spread }) => `${describeSpread(spread)}: ${title}`).join('; ');
  return { ...target, measured };
}

function largestOf(results: Results, value: Parameters<typeof spreadOfCell>[2]): number | undefined {
  const medians = results.workloads.flatMap(({ id }) => {
    const spread = spreadOfCell(results, cellOf(results, id, 'petstore', { pets: largest }), value);
    return spread ? [spread.median] : [];
  });
  return medians.length > 0 ? Math.max(...medians) : undefined;
}

function atLeast(what: string, bound: number, spread: Spread | undefined): Target {
  return {
    what,
    atLeast: `at least ${bound}×`,
    measured: spread && describeSpread(spread),
    isReached: spread && spread.median >= bound,
    tried: tried[what] ?? '',
  };
}

function atMost(what: string, bound: number, value: number | undefined, unit: string): Target {
  return {
    what,
    atLeast: `at most ${bound}${unit}`,
    measured: value === undefined ? undefined : `${Number(value.toPrecision(3))}${unit}`,
    isReached: value === undefined ? undefined : value <= bound,
    tried: tried[what] ?? '',
  };
}

/** The median with the lowest and the highest round. */
export function describeSpread({ median, lowest, highest }: Spread): string {
  const text = (value: number): string => String(Number(value.toPrecision(3)));
  return `${text(median)}× (${text(lowest)} to ${text(highest)})`;
}
