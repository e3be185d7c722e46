import { contestantOf, contestants, isOnPostgres } from '../contestants/contestants.ts';
import type { Cell, Results } from '../report/results.ts';
import { spreadOfCell } from '../report/statistics.ts';
import { workloadOf } from './workloads.ts';

export interface Plan {
  workloads: string[];
  contestants: string[];
  /** The number of pets at which all are compared. */
  pets: number;
  /** At these numbers of pets the service alone is measured. */
  otherSizes: number[];
  rounds: number;
  latencyRounds: number;
}

const latencyWorkloads = ['list', 'list-random', 'create', 'slow-disk-quiet', 'slow-disk-busy'];

/** The cells that are compared with each other in one round: those of a workload, or of the slow disk. */
export function planThroughput(plan: Plan): Cell[][] {
  const cells = plan.workloads.flatMap((id) => cellsOf(id, plan));
  return [...Map.groupBy(cells, ({ workload }) => groupOf(workload)).values()];
}

function cellsOf(workload: string, { pets, otherSizes, contestants: chosen }: Plan): Cell[] {
  const own = { workload, contestant: 'petstore', pets };
  const cell = (more: Partial<Cell>): Cell => ({ ...own, ...more });
  const hasOwn = chosen.includes('petstore');
  if (workloadOf(workload).isOnSlowDisk) return hasOwn ? [own] : [];
  // Smaller stores fit into the memory of any process.
  if (workloadOf(workload).isCold)
    return otherSizes.filter((size) => hasOwn && size > 1_000_000).map((size) => cell({ pets: size }));
  const able = contestants.filter(({ id, without }) => chosen.includes(id) && !without.includes(workload));
  const compared = able.map(({ id }) => cell({ contestant: id }));
  if (workloadOf(workload).isOnPostgres)
    return compared.filter(({ contestant }) => isOnPostgres(contestantOf(contestant)));
  return hasOwn ? [...compared, ...otherSizes.map((size) => cell({ pets: size }))] : compared;
}

const groupOf = (workload: string): string => workload.replace(/^slow-disk.*/, 'slow-disk');

/** Latency is compared at the common size, with one limit. */
export function planLatency(groups: readonly Cell[][], { pets }: Plan): Cell[] {
  const sized = groups.flat().filter((cell) => cell.pets === pets && cell.contestant !== 'limit-least');
  return sized.filter(({ workload }) => latencyWorkloads.includes(workload));
}

/** A rate that every contestant of a store sustains: half of what the slowest did in its slowest round. */
export function latencyRate(results: Results, cell: Cell, cells: readonly Cell[]): number | undefined {
  const rivalry = ({ workload, contestant }: Cell): string =>
    `${groupOf(workload)} ${isOnPostgres(contestantOf(contestant))}`;
  const rivals = cells.filter((other) => rivalry(other) === rivalry(cell));
  const speeds = rivals.flatMap((rival) => spreadOfCell(results, rival)?.lowest ?? []);
  return speeds.length === 0 ? undefined : Math.max(1, Math.floor(Math.min(...speeds) / 2));
}

/** The order of a round: over all rounds everybody is early as often as late, and every other round goes backwards. */
export function orderOf<Item>(items: readonly Item[], round: number, rounds: number): Item[] {
  const start = Math.round((items.length * round) / rounds) % Math.max(1, items.length);
  const turned = [...items.slice(start), ...items.slice(0, start)];
  return round % 2 === 0 ? turned.toReversed() : turned;
}
