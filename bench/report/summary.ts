import type { Cell, Results } from './results.ts';
import { isOnPostgres, ratio, spreadOfCell, type Figure, type Spread } from './statistics.ts';

/** The figures of one cell over all rounds that count. */
export interface Summary extends Cell, Partial<Record<(typeof figures)[number], Spread>> {
  /** How many times as fast the service was in the same rounds. */
  timesAsFast?: Spread;
}

const figures = [
  ...['requestsPerSecond', 'cpuMicrosPerRequest', 'peakMemoryMb', 'readyMs', 'diskReadMb'],
  ...['p50Ms', 'p99Ms', 'p999Ms', 'rate'],
] as const satisfies Figure[];

export function summarise(results: Results): Summary[] {
  const cells = new Map(
    [...results.samples, ...results.latencies].map(({ workload, contestant, pets, processes }) => {
      const cell = { workload, contestant, pets, processes };
      return [JSON.stringify(cell), cell] as const;
    }),
  );
  return [...cells.values()].map((cell) => {
    const spreads = figures.map((figure) => [figure, spreadOfCell(results, cell, figure)] as const);
    const own = isOnPostgres(cell.contestant) ? 'petstore-postgres' : 'petstore';
    const timesAsFast =
      cell.contestant === own ? undefined : ratio(results, { ...cell, contestant: own }, cell);
    // JSON leaves out what is undefined.
    return Object.assign({ ...cell }, Object.fromEntries(spreads), timesAsFast && { timesAsFast });
  });
}
