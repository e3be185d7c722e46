import { contestantOf, contestants } from './contestants.ts';
import { turnsOf } from './measure.ts';
import type { BenchOptions } from './options.ts';
import type { Cell, Results } from './results.ts';
import { cellOf, spreadOfCell } from './statistics.ts';
import { workloadOf, workloads, type Workload } from './workloads.ts';

/** What is measured side by side in every round: a workload, or the two that are compared with each other. */
export type Group = Cell[];

/** Only the service has a setting for the number of processes. */
const processesWorkload = 'processes';
/** Between the smallest and the largest store, enough to see the shape of the line. */
const atMiddleSizes = ['list-random', 'create'];
const latencyWorkloads = ['list', 'list-random', 'create', 'slow-disk-quiet', 'slow-disk-busy'];

export function planThroughput(options: BenchOptions): Group[] {
  const chosen = workloads.filter(({ id }) => options.workloads.includes(id));
  const groups = Map.groupBy(chosen, ({ id, isOnSlowDisk }) => (isOnSlowDisk ? 'slow disk' : id));
  return [...groups.values()]
    .map((compared) => compared.flatMap((workload) => cellsOf(workload, options)))
    .filter((cells) => cells.length > 0);
}

function cellsOf(workload: Workload, { pets, contestants: chosen, otherSizes }: BenchOptions): Cell[] {
  if (workload.id === processesWorkload) {
    if (!chosen.includes('petstore')) return [];
    return [1, 2].map((processes) => ({
      workload: workload.id,
      contestant: 'petstore',
      pets,
      processes,
    }));
  }
  const able = contestants.filter(
    ({ id, cannot = [], skips = [] }) =>
      chosen.includes(id) && !cannot.includes(workload.id) && !skips.includes(workload.id),
  );
  const compared = able.map(({ id }) => ({ workload: workload.id, contestant: id, pets, processes: 1 }));
  const isSized = !workload.isOnSlowDisk && chosen.includes('petstore');
  const ends = [Math.min(...otherSizes), Math.max(...otherSizes)];
  const isMeasuredAt = (size: number): boolean => ends.includes(size) || atMiddleSizes.includes(workload.id);
  const sized = isSized ? otherSizes.filter(isMeasuredAt) : [];
  return [
    ...compared,
    ...sized.map((size) => ({
      workload: workload.id,
      contestant: 'petstore',
      pets: size,
      processes: 1,
    })),
  ];
}

/**
 * The order of a round. Over all rounds, everybody is early as often as late, and every other round goes backwards, so
 * that nobody always follows the same one.
 */
export function orderOf<Item>(items: readonly Item[], round: number, rounds: number): Item[] {
  const start = Math.round((items.length * round) / rounds) % Math.max(1, items.length);
  const turned = [...items.slice(start), ...items.slice(0, start)];
  return round % 2 === 0 ? turned.toReversed() : turned;
}

/** A rate that every contestant of a store sustains: half of what the slowest did in its slowest round. */
export function latencyRate(results: Results, cell: Cell): number {
  const rivals = contestantsOfSameStore(cell.contestant);
  const related = cell.workload.startsWith('slow-disk')
    ? ['slow-disk-quiet', 'slow-disk-busy']
    : [cell.workload];
  const speeds = related.flatMap((workload) =>
    rivals.flatMap((id) => spreadOfCell(results, cellOf(results, workload, id))?.lowest ?? []),
  );
  return speeds.length === 0 ? 0 : Math.max(1, Math.floor(Math.min(...speeds) / 2));
}

/** Latency is compared among those that serve the same interface, and with one limit, at the common size. */
export function planLatency(groups: readonly Group[], { pets }: BenchOptions): Group[] {
  const isCompared = ({ workload, contestant, pets: size, processes }: Cell): boolean =>
    latencyWorkloads.includes(workload) &&
    size === pets &&
    processes === 1 &&
    sameInterface.includes(contestant);
  return groups.map((cells) => cells.filter(isCompared)).filter((cells) => cells.length > 0);
}

const sameInterface = contestants
  .filter(({ id, kind }) => kind !== 'ready-made' && id !== 'limit-node')
  .map(({ id }) => id);

function contestantsOfSameStore(id: string): string[] {
  const isPostgres = (candidate: string): boolean =>
    contestants.some(({ id: known, data }) => known === candidate && data === 'postgres');
  return sameInterface.filter((candidate) => isPostgres(candidate) === isPostgres(id));
}

/** What a round takes beside its load: a copy of the data, a start, and, in each turn, reading the requests. */
const aroundRoundSeconds = 0.4;
const aroundTurnSeconds = 0.08;
const largeCopySeconds = 4;
const preparationSeconds = 20;
const millionPetsSeconds = 5;

/** How long a run will take, from what the parts of a round took on a machine with two cores. */
export function estimateSeconds(
  groups: readonly Group[],
  latencyGroups: readonly Group[],
  options: BenchOptions,
): number {
  const { rounds, latencyRounds, warmUpSeconds, latencySeconds } = options;
  const throughput = groups.flat().map((cell) => {
    const workload = workloadOf(cell.workload);
    const isCopied = workload.isWriting && cell.pets >= 10_000_000;
    const { warmUpTurns, turns, turnSeconds } = turnsOf(cell, options);
    const aroundTurn = aroundTurnSeconds + (workload.backgroundCreatesPerSecond === undefined ? 0 : 1);
    const load = warmUpTurns * (1 + aroundTurn) + turns * (turnSeconds + aroundTurn);
    return load + aroundRoundSeconds + (isCopied ? largeCopySeconds : 0);
  });
  const latency = latencyGroups.flat().map(({ contestant }) => {
    const { warmUpSeconds: warmUp = warmUpSeconds } = contestantOf(contestant);
    return latencySeconds + warmUp + aroundRoundSeconds;
  });
  const millions = sum([options.pets, ...options.otherSizes]) / 1e6;
  const preparation = preparationSeconds + millions * millionPetsSeconds;
  return preparation + rounds * sum(throughput) + latencyRounds * sum(latency);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
