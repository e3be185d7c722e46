import { isSameCell, type Cell, type LatencySample, type Results, type Sample } from './results.ts';

export interface Spread {
  median: number;
  lowest: number;
  highest: number;
  rounds: number;
}

export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const lowest = sorted[0];
  const highest = sorted.at(-1);
  if (lowest === undefined || highest === undefined) return undefined;
  const middle = sorted.length / 2;
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
  return { median, lowest, highest, rounds: sorted.length };
}

/** A cell at the common size, unless it says more. */
export function cellOf(
  { method }: Results,
  workload: string,
  contestant: string,
  more: Partial<Cell> = {},
): Cell {
  return { workload, contestant, pets: method.pets, processes: 1, ...more };
}

/** The rounds of a cell that count. */
export function keptSamples({ samples }: Results, cell: Cell): Sample[] {
  return samples.filter((sample) => isSameCell(sample, cell) && sample.discarded === undefined);
}

export function spreadOfCell(
  results: Results,
  cell: Cell,
  value: (sample: Sample) => number = ({ requestsPerSecond }) => requestsPerSecond,
): Spread | undefined {
  return spreadOf(keptSamples(results, cell).map(value));
}

/** Each round compares what took turns on the same machine; the median of the rounds is the answer. */
export function ratio(results: Results, cell: Cell, base: Cell): Spread | undefined {
  return ratioOf(
    keptSamples(results, cell),
    keptSamples(results, base),
    ({ requestsPerSecond }) => requestsPerSecond,
  );
}

export function latencySpread(
  results: Results,
  cell: Cell,
  value: (sample: LatencySample) => number,
): Spread | undefined {
  return spreadOf(latenciesOf(results, cell).map(value));
}

/** Of the slowest 1 % of requests, compared within a round. */
export function latencyRatio(results: Results, cell: Cell, base: Cell): Spread | undefined {
  return ratioOf(latenciesOf(results, cell), latenciesOf(results, base), ({ p99Ms }) => p99Ms);
}

function latenciesOf({ latencies }: Results, cell: Cell): LatencySample[] {
  return latencies.filter((sample) => isSameCell(sample, cell));
}

function ratioOf<Measured extends { round: number }>(
  samples: readonly Measured[],
  bases: readonly Measured[],
  value: (sample: Measured) => number,
): Spread | undefined {
  const ofRound = new Map(bases.map((sample) => [sample.round, sample]));
  return spreadOf(
    samples.flatMap((sample) => {
      const base = ofRound.get(sample.round);
      return base ? [value(sample) / value(base)] : [];
    }),
  );
}

/** The contestant of these with the highest median throughput. */
export function fastest(
  results: Results,
  workload: string,
  contestants: readonly string[],
): string | undefined {
  const speed = (id: string): number => spreadOfCell(results, cellOf(results, workload, id))?.median ?? 0;
  const [first] = contestants.toSorted((a, b) => speed(b) - speed(a));
  return first !== undefined && speed(first) > 0 ? first : undefined;
}
