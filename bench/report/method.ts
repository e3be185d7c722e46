import type { Results } from './results.ts';
import { cellOf, isOnPostgres, spreadOf, spreadOfCell } from './statistics.ts';

/** If other programs take more than this in half of the rounds, the figures say little. */
const quietCores = 0.1;

/** How the figures of this run came about; docs/performance.md gives the reasons. */
export function describeMethod(results: Results): string {
  const { method } = results;
  const turnSeconds = method.secondsPerRound / method.turnsPerRound;
  const lines = [
    `- Before anything is measured, every peer must give the same responses as the service: pets, links, and refusals of wrong keys, parameters and bodies. Creates must take as long as a sync of the disk.`,
    `- Throughput: wrk, keep-alive, no pipelining, ${method.connections} connections. The server has one core, the load generator the rest. ${method.rounds} rounds. In each, all contestants of a workload start as fresh processes on fresh copies of the data, in another order each time, warm up (1 s; compiled peers 3 s), and take ${method.turnsPerRound} turns of ${turnSeconds} s. A round in which the load generator was the bottleneck is discarded.`,
    `- Exceptions: json-server gets 8 s at once for creates. With ten million pets, workloads that only read share one store. Empty cells were left out to keep a run short, or cannot be measured: Elysia and PocketBase make no ETag; json-server, PocketBase and PostgreSQL do not sync through the slowed C library.`,
    `- Latency: ${method.rounds} rounds of ${method.latencySeconds} s, or as long as 1000 requests take, at one constant rate per workload and store: half of what the slowest contestant did in its slowest round. A request counts from the moment it was due, so a server that stalls is not spared requests (coordinated omission).`,
    `- Processor time and memory come from \`/proc\`, for all threads and processes of the server, without those of PostgreSQL, which runs on the cores of the load generator.`,
    `- 5 ms disk: a preloaded library makes every fsync and fdatasync take 5 ms longer.`,
    describeProcesses(results),
    describeOthers(results),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function describeProcesses(results: Results): string {
  const cell = cellOf(results, 'processes', 'petstore', { processes: 2 });
  const load = spreadOfCell(results, cell, ({ loadCores }) => loadCores);
  if (!load) return '';
  const share = `and shares theirs, of which it took ${Number(load.median.toPrecision(2))}`;
  return `- Two processes: on two cores, the load generator has no core of its own ${share}. One process is measured with the load generator on the other core.`;
}

function describeOthers({ samples }: Results): string {
  const alone = samples.filter(
    ({ contestant, workload }) => !isOnPostgres(contestant) && workload !== 'slow-disk-busy',
  );
  const spread = spreadOf(alone.map(({ otherCores }) => otherCores));
  if (!spread) return '';
  const verdict =
    spread.median > quietCores ? ' **The machine was not quiet: do not use these figures.**' : '';
  const [median, highest] = [spread.median, spread.highest].map((cores) => Number(cores.toFixed(2)));
  return `- Other programs took ${median} cores in the median round, ${highest} in the worst.${verdict}`;
}
