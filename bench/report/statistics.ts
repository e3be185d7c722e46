import type { Cell, LatencySample, Results, Sample } from './results.ts';

export interface Spread {
  median: number;
  lowest: number;
  highest: number;
}

type Figure<Measured> = (sample: Measured) => number;
const throughput: Figure<Sample> = ({ requestsPerSecond }) => requestsPerSecond;

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
  more?: Partial<Cell>,
): Cell {
  return { workload, contestant, pets: method.pets, processes: 1, ...more };
}

export function spreadOfCell({ samples }: Results, cell: Cell, figure = throughput): Spread | undefined {
  return spreadOf(kept(samples, cell).map(figure));
}

export function latencySpread(
  { latencies }: Results,
  cell: Cell,
  figure: Figure<LatencySample>,
): Spread | undefined {
  return spreadOf(kept(latencies, cell).map(figure));
}

export function ratio({ samples }: Results, cell: Cell, base: Cell): Spread | undefined {
  return ratioOf(kept(samples, cell), kept(samples, base), throughput);
}

export function p99Ratio({ latencies }: Results, cell: Cell, base: Cell): Spread | undefined {
  return ratioOf(kept(latencies, cell), kept(latencies, base), ({ p99Ms }) => p99Ms);
}

/** The contestant with the highest median throughput. */
export function fastest(results: Results, workload: string, ids: readonly string[]): string | undefined {
  const speed = (id: string): number => spreadOfCell(results, cellOf(results, workload, id))?.median ?? 0;
  return ids.filter((id) => speed(id) > 0).toSorted((a, b) => speed(b) - speed(a))[0];
}

export function shortNumber(value: number): string {
  if (value >= 1e6) return `${rounded(value / 1e6)}M`;
  return value >= 1000 ? `${rounded(value / 1000)}k` : String(rounded(value));
}

/** The median with the lowest and the highest round. */
export function describeSpread({ median, lowest, highest }: Spread): string {
  return `${rounded(median)}× (${rounded(lowest)} to ${rounded(highest)})`;
}

export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

export function isOnPostgres(id: string): boolean {
  return ['petstore-postgres', 'fastify-pg', 'elysia-postgres'].includes(id);
}

/** The samples of a cell that count. */
function kept<Measured extends Cell & { discarded?: string }>(
  samples: readonly Measured[],
  cell: Cell,
): Measured[] {
  const names = ['workload', 'contestant', 'pets', 'processes'] as const;
  const isSame = (sample: Measured): boolean => names.every((name) => sample[name] === cell[name]);
  return samples.filter((sample) => isSame(sample) && sample.discarded === undefined);
}

/** Compared within each round, because what ran in one round had the same machine. */
function ratioOf<Measured extends { round: number }>(
  samples: readonly Measured[],
  bases: readonly Measured[],
  figure: Figure<Measured>,
): Spread | undefined {
  const baseOf = new Map(bases.map((base) => [base.round, figure(base)]));
  const compared = samples.filter(({ round }) => baseOf.has(round));
  return spreadOf(compared.map((sample) => figure(sample) / baseOf.get(sample.round)!));
}
