import type { Cell, LatencySample, Results, Measurement } from './results.ts';

export type Spread = Record<'median' | 'lowest' | 'highest', number>;

/** A cell at the common size, unless told otherwise. */
export function cellOf(results: Results, workload: string, contestant: string, more?: Partial<Cell>): Cell {
  return { workload, contestant, pets: results.method.pets, ...more };
}

export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = sorted.length / 2;
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
  return { median, lowest: sorted[0]!, highest: sorted.at(-1)! };
}

export type Figure = Exclude<keyof Measurement | keyof LatencySample, keyof Cell | 'discarded'>;
type Measured = Cell & { round: number; discarded?: string } & Partial<Record<Figure, number>>;

export function spreadOfCell(results: Results, cell: Cell, figure: Figure = 'requestsPerSecond') {
  return spreadOf([...roundsOf(results, cell, figure).values()]);
}

/** Compared within each round, because what ran in one round had the same machine. */
export function ratio(results: Results, cell: Cell, base: Cell, figure: Figure = 'requestsPerSecond') {
  const bases = roundsOf(results, base, figure);
  const compared = [...roundsOf(results, cell, figure)].filter(([round]) => bases.has(round));
  return spreadOf(compared.map(([round, value]) => value / bases.get(round)!));
}

/** What was measured in each round that counts. */
function roundsOf({ samples, latencies }: Results, cell: Cell, figure: Figure): Map<number, number> {
  const names = ['workload', 'contestant', 'pets'] as const;
  const kept = [...samples, ...latencies].filter((own: Measured) => {
    const isCounted = own[figure] !== undefined && own.discarded === undefined;
    return isCounted && names.every((name) => own[name] === cell[name]);
  });
  return new Map(kept.map((own: Measured) => [own.round, own[figure]!]));
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
