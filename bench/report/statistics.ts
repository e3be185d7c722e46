import type { Cell, LatencySample, Results, Sample } from './results.ts';

export interface Spread {
  median: number;
  lowest: number;
  highest: number;
}

export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = sorted.length / 2;
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
  return { median, lowest: sorted[0]!, highest: sorted.at(-1)! };
}

/** A cell at the common size, unless told otherwise. */
export function cellOf(
  { method }: Results,
  workload: string,
  contestant: string,
  more: Partial<Cell> = {},
): Cell {
  return { workload, contestant, pets: method.pets, processes: 1, ...more };
}

type Figure<Measured> = (sample: Measured) => number;
const throughput: Figure<Sample> = ({ requestsPerSecond }) => requestsPerSecond;

export function spreadOfCell(results: Results, cell: Cell, figure = throughput): Spread | undefined {
  return spreadOf(keptSamples(results, cell).map(figure));
}

/** Compared within each round, because what ran in one round had the same machine. */
export function ratio(results: Results, cell: Cell, base: Cell): Spread | undefined {
  return ratioOf(keptSamples(results, cell), keptSamples(results, base), throughput);
}

export function latencySpread(
  results: Results,
  cell: Cell,
  figure: Figure<LatencySample>,
): Spread | undefined {
  return spreadOf(ofCell(results.latencies, cell).map(figure));
}

export function p99Ratio({ latencies }: Results, cell: Cell, base: Cell): Spread | undefined {
  return ratioOf(ofCell(latencies, cell), ofCell(latencies, base), ({ p99Ms }) => p99Ms);
}

/** The contestant with the highest median throughput. */
export function fastest(results: Results, workload: string, ids: readonly string[]): string | undefined {
  const speed = (id: string): number => spreadOfCell(results, cellOf(results, workload, id))?.median ?? 0;
  const [first] = ids.toSorted((a, b) => speed(b) - speed(a));
  return first !== undefined && speed(first) > 0 ? first : undefined;
}

export function shortNumber(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1000) return `${Number((value / 1000).toPrecision(3))}k`;
  return String(Number(value.toPrecision(3)));
}

/** The median with the lowest and the highest round. */
export function describeSpread({ median, lowest, highest }: Spread): string {
  const text = (value: number): string => String(Number(value.toPrecision(3)));
  return `${text(median)}× (${text(lowest)} to ${text(highest)})`;
}

export function isOnPostgres(id: string): boolean {
  return ['petstore-postgres', 'fastify-pg', 'elysia-postgres'].includes(id);
}

function keptSamples({ samples }: Results, cell: Cell): Sample[] {
  return ofCell(samples, cell).filter(({ discarded }) => discarded === undefined);
}

function ofCell<Measured extends Cell>(samples: readonly Measured[], cell: Cell): Measured[] {
  const names = ['workload', 'contestant', 'pets', 'processes'] as const;
  return samples.filter((sample) => names.every((name) => sample[name] === cell[name]));
}

function ratioOf<Measured extends { round: number }>(
  samples: readonly Measured[],
  bases: readonly Measured[],
  figure: Figure<Measured>,
): Spread | undefined {
  const baseOf = new Map(bases.map((base) => [base.round, figure(base)]));
  const compared = samples.filter(({ round }) => baseOf.has(round));
  return spreadOf(compared.map((sample) => figure(sample) / baseOf.get(sample.round)!));
}
