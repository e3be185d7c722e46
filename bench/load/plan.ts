import { contestantOf, contestants } from '../contestants/contestants.ts';
import type { Cell, Results } from '../report/results.ts';
import { cellOf, spreadOfCell } from '../report/statistics.ts';
import { workloads } from './workloads.ts';

/** What is measured, and at how many pets all are compared. */
export interface Plan {
  pets: number;
  /** Further sizes, at which the service alone is measured. */
  otherSizes: number[];
  workloads: string[];
  contestants: string[];
  rounds: number;
  latencyRounds: number;
}

/** Between the smallest and the largest store these are enough to see the shape of the line. */
const atEverySize = ['list-random', 'create'];
const latencyWorkloads = ['list', 'list-random', 'create', 'slow-disk-quiet', 'slow-disk-busy'];

/** The cells that are compared with each other in one round: those of a workload, or of the slow disk. */
export function planThroughput(plan: Plan): Cell[][] {
  const chosen = workloads.filter(({ id }) => plan.workloads.includes(id));
  const groups = Map.groupBy(chosen, ({ id, isOnSlowDisk }) => (isOnSlowDisk ? 'slow disk' : id));
  return [...groups.values()]
    .map((group) =>
      group.flatMap(({ id, isOnSlowDisk }) => cellsOf(id, isOnSlowDisk ? [] : plan.otherSizes, plan)),
    )
    .filter((cells) => cells.length > 0);
}

function cellsOf(workload: string, otherSizes: number[], { pets, contestants: chosen }: Plan): Cell[] {
  const own: Cell = { workload, contestant: 'petstore', pets, processes: 1 };
  const hasOwn = chosen.includes('petstore');
  if (workload === 'processes') return hasOwn ? [own, { ...own, processes: 2 }] : [];
  const able = contestants.filter(({ id, without }) => chosen.includes(id) && !without.includes(workload));
  const ends = [Math.min(...otherSizes), Math.max(...otherSizes)];
  const sizes = otherSizes.filter((size) => ends.includes(size) || atEverySize.includes(workload));
  return [
    ...able.map(({ id }) => ({ ...own, contestant: id })),
    ...(hasOwn ? sizes.map((size) => ({ ...own, pets: size })) : []),
  ];
}

/** Latency is compared at the common size, among the contestants of the same API and one limit. */
export function planLatency(groups: readonly Cell[][], { pets }: Plan): Cell[] {
  return groups.flat().filter(({ workload, contestant, pets: size }) => {
    const isSameApi = contestantOf(contestant).kind !== 'ready-made' && contestant !== 'limit-node';
    return latencyWorkloads.includes(workload) && size === pets && isSameApi;
  });
}

/** A rate that every contestant of a store sustains: half of what the slowest did in its slowest round. */
export function latencyRate(results: Results, cell: Cell, cells: readonly Cell[]): number | undefined {
  const storeOf = ({ contestant }: Cell): boolean => contestantOf(contestant).data === 'postgres';
  const kindOf = ({ workload }: Cell): string => workload.replace(/^slow-disk.*/, 'slow-disk');
  const rivals = cells.filter((other) => storeOf(other) === storeOf(cell) && kindOf(other) === kindOf(cell));
  const speeds = rivals.flatMap(
    ({ workload, contestant }) => spreadOfCell(results, cellOf(results, workload, contestant))?.lowest ?? [],
  );
  return speeds.length === 0 ? undefined : Math.max(1, Math.floor(Math.min(...speeds) / 2));
}

/** The order of a round: over all rounds everybody is early as often as late, and every other round goes backwards. */
export function orderOf<Item>(items: readonly Item[], round: number, rounds: number): Item[] {
  const start = Math.round((items.length * round) / rounds) % Math.max(1, items.length);
  const turned = [...items.slice(start), ...items.slice(0, start)];
  return round % 2 === 0 ? turned.toReversed() : turned;
}
