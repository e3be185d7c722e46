import { longWarmUpSeconds } from './contestant.ts';
import type { Results } from './results.ts';
import { cellOf, spreadOf, spreadOfCell } from './statistics.ts';

/** More than this for other programs in half of the rounds, and the run says little. */
const quietCores = 0.1;

/** How the figures came about, a paragraph each. */
export function describeMethod(results: Results): string[] {
  const { method, machine } = results;
  const otherCores = machine.cores === 2 ? 'other one' : `other ${machine.cores - 1}`;
  return [
    `**Throughput.** ${method.loadGenerator}, ${method.connections} connections. The server has 1 core, the load generator the ${otherCores}. ${method.rounds} rounds: in each, all contestants of a workload are started, in another order each time, each as a fresh process on a fresh copy of the data. Then they take turns under load, while the others wait: to warm up, ${method.warmUpSeconds} of 1 s (${longWarmUpSeconds} for peers with a compiler, where more bring no more), then ${method.turnsPerRound} of at least ${method.secondsPerRound / method.turnsPerRound} s that are measured, each on new connections. A machine whose speed changes from one second to the next changes it for all. Ratios are made within a round; the median, lowest and highest of the rounds are shown. A round in which the load generator was busy and the server was not is thrown out. With ten million pets, workloads that only read share one copy. json-server answers so few creates that it gets 8 s at once, and no warm-up.`,
    'Every peer runs with NODE_ENV=production, and makes an ETag only where 304 is measured. Elysia and PocketBase make none, so they are not in it. On the slow disk are those that sync to it: json-server does not, PocketBase is one static program that the shim does not reach, and PostgreSQL has a log of its own.',
    'To keep a run short: the bare servers, json-server and PocketBase leave out some variants of a list and of a create, bare node:http a get by id and 304, too; of them only bare Bun.serve has a latency. Sizes are those of the embedded store, without the slow disk and the two processes; between the smallest and the largest only random pages and creates are measured. PostgreSQL is measured at one size and with one process.',
    method.latencyRounds === 0
      ? ''
      : `**Latency.** ${method.latencyRounds} rounds of ${method.latencySeconds} s, or longer for at least 1000 requests, at a constant rate after the same warm-up. A request counts from the moment it was due, so that a server that stalls is not spared the requests it would have got (coordinated omission).`,
    `**Processor time and memory.** From \`/proc\`, over the whole of the load, all threads and processes of the server counted; the work of PostgreSQL itself is not in it.`,
    `**Slow disk.** ${method.slowDisk}. **PostgreSQL** runs on the cores of the load generator, never on that of the server.`,
    twoProcesses(results),
    company(results),
    'Before anything is measured, every peer is asked the same questions as the service and must give the same answers: pets, pages, links, refused keys, parameters and bodies. On the slow disk, its creates must take as long as the sync.',
  ];
}

function twoProcesses(results: Results): string {
  const { samples, machine } = results;
  if (!samples.some(({ workload }) => workload === 'processes')) return '';
  const load = spreadOfCell(
    results,
    cellOf(results, 'processes', 'petstore', { processes: 2 }),
    ({ loadCores }) => loadCores,
  );
  const share = load ? `, of which it took ${Number(load.median.toPrecision(2))}` : '';
  const isShared = machine.cores <= 2;
  const where = isShared
    ? `With as many processes as cores, the load generator has no core of its own and shares theirs${share}`
    : 'The load generator has the cores that are left';
  return `**Two processes.** Random pages of 100 pets, so that there is much to do for the server and little for the load generator. ${where}. One process is measured with the load generator on another core.`;
}

/** A machine that does something else at the same time makes every figure smaller, and not by the same amount. */
function company({ samples }: Results): string {
  const spread = spreadOf(
    samples.flatMap(({ contestant, workload, otherCores }) =>
      /postgres|-pg$/.test(contestant) || workload === 'slow-disk-busy' ? [] : (otherCores ?? []),
    ),
  );
  if (!spread) return '';
  const cores = (value: number): string => String(Number(value.toFixed(2)));
  const verdict = spread.median > quietCores ? ' **It was not quiet: take no figure from this run.**' : '';
  return `**The machine.** Other programs took ${cores(spread.median)} cores in the median round, ${cores(spread.highest)} in the worst.${verdict}`;
}
