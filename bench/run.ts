import { parseArgs } from 'node:util';
import { contestants } from './contestants/contestants.ts';
import { openData } from './contestants/data.ts';
import { verifySameWork } from './contestants/verify.ts';
import { measureLatency, measureThroughput } from './load/measure.ts';
import { latencyRate, orderOf, planLatency, planThroughput, type Plan } from './load/plan.ts';
import { cleanUpWhenInterrupted, coreLayout, makeFolder, pinRunning } from './load/processes.ts';
import { buildSlowDisk } from './load/slow-disk.ts';
import { workloadOf, workloads } from './load/workloads.ts';
import { choose, exitWith, missingTools, preparePeers } from './prepare.ts';
import { describeMachine } from './report/machine.ts';
import { renderResults, writeReport } from './report/report.ts';
import type { Cell, Results } from './report/results.ts';

/** What a run of everything measures. */
export const wholePlan: Plan = {
  workloads: workloads.map(({ id }) => id),
  contestants: contestants.map(({ id }) => id),
  pets: 100_000,
  otherSizes: [1000, 10_000_000],
  rounds: 3,
  latencyRounds: 3,
};
const quickPlan: Plan = {
  ...wholePlan,
  workloads: ['list', 'list-random', 'create'],
  contestants: ['petstore', 'limit-bun', 'fastify', 'elysia'],
  ...{ otherSizes: [], rounds: 2, latencyRounds: 0 },
};
/** Compilers take their time: most peers are at full speed after three seconds. */
const warmUpSeconds = 3;
/** At a lower rate it takes longer, and a compiler that works beside the requests adds to their p99. */
const latencyWarmUpSeconds = 6;
const method = { secondsPerRound: 1, turnsPerRound: 4, latencySeconds: 3, connections: 64 };
/** A low rate is measured for longer. */
const [fewestRequests, longestLatencySeconds] = [1000, 10];

const help = `Measures the service beside its peers and beside a bare server.

  npm run bench                        everything: an hour; writes bench/RESULTS.md
  npm run bench -- --quick             a few workloads and peers: two minutes
  npm run bench:compare -- CHECKOUT    this checkout against another one: three minutes

  --only ID,ID          some workloads
  --contestants ID,ID   some contestants

Workloads: ${wholePlan.workloads.join(' ')}
Contestants: ${wholePlan.contestants.join(' ')}

Needs Linux, two cores that do nothing else, wrk and HAProxy (Debian: apt install wrk haproxy).
The peers are installed on first use. Only a run of everything changes
bench/RESULTS.md; any other run prints its report.
`;

if (import.meta.main) {
  cleanUpWhenInterrupted();
  const [flag, text] = [{ type: 'boolean' }, { type: 'string' }] as const;
  const options = { help: { ...flag, short: 'h' }, quick: flag, only: text, contestants: text } as const;
  const { help: isHelp, quick, ...given } = parseArgs({ options }).values;
  exitWith(isHelp ? [help] : missingTools(), isHelp ? 0 : 2);
  const usual = quick ? quickPlan : wholePlan;
  const results = await runBenchmark({
    ...usual,
    workloads: choose('--only', given.only, wholePlan.workloads, usual.workloads),
    contestants: choose('--contestants', given.contestants, wholePlan.contestants, usual.contestants),
  });
  process.stdout.write(renderResults(results));
  if (!quick && Object.keys(given).length === 0) await writeReport(results);
}

/** Measures all that is planned. What fails is noted in the remarks; the rest goes on. */
async function runBenchmark(plan: Plan): Promise<Results> {
  const { pets, rounds, latencyRounds } = plan;
  const chosen = contestants.filter(({ id }) => plan.contestants.includes(id));
  const peers = chosen.filter(({ kind }) => kind === 'peer').map(({ id }) => id);
  if (peers.length > 0) await preparePeers();
  await using data = openData();
  using folder = makeFolder();
  const slowDisk = buildSlowDisk(folder.path);
  const setting = { open: data.open, slowDisk, connections: method.connections };
  // This process generates the constant rates.
  pinRunning(process.pid, coreLayout().load);
  log('Checking that all contestants do the same work');
  await verifySameWork(peers, pets, setting);

  const results: Results = {
    ...{ startedAt: new Date().toISOString(), finishedAt: '', machine: describeMachine() },
    method: { pets, rounds, warmUp: `${warmUpSeconds} s, for latency ${latencyWarmUpSeconds} s`, ...method },
    contestants: chosen.map(({ id, name, kind }) => ({ id, name, kind })),
    workloads: plan.workloads.map(workloadOf).map(({ id, title }) => ({ id, title })),
    ...{ samples: [], latencies: [] },
    remarks: slowDisk ? [] : ['Without a C compiler the 5 ms disk was not measured.'],
  };
  const note = ({ workload, contestant }: Cell, round: number, { message }: Error): void => {
    const reason = message.split('\n').slice(0, 3).join(' ');
    results.remarks.push(`${contestant}, ${workload}, round ${round}: ${reason}`);
  };
  const isPossible = ([cell]: Cell[]) => slowDisk || !workloadOf(cell!.workload).isOnSlowDisk;
  const groups = planThroughput(plan).filter(isPossible);
  for (let round = 1; round <= rounds; round++) {
    log(`Throughput, round ${round} of ${rounds}`);
    const { secondsPerRound: seconds, turnsPerRound: turns } = method;
    const options = { ...setting, round, seconds, turns, warmUpSeconds, failed: note };
    for (const cells of groups)
      results.samples.push(...(await measureThroughput(orderOf(cells, round, rounds), options)));
  }
  const latencyCells = planLatency(groups, plan);
  for (let round = 1; round <= latencyRounds; round++) {
    log(`Latency, round ${round} of ${latencyRounds}`);
    for (const cell of orderOf(latencyCells, round, latencyRounds)) {
      const rate = latencyRate(results, cell, latencyCells);
      if (rate === undefined) continue;
      const enough = Math.min(longestLatencySeconds, Math.ceil(fewestRequests / rate));
      const seconds = Math.max(method.latencySeconds, enough);
      const options = { ...setting, round, rate, seconds, warmUpSeconds: latencyWarmUpSeconds };
      await measureLatency(cell, options).then(
        (sample) => results.latencies.push(sample),
        (error: Error) => note({ ...cell, workload: `latency of ${cell.workload}` }, round, error),
      );
    }
  }
  const version = await data.postgresVersion();
  if (version !== undefined) results.machine.versions['PostgreSQL'] = version;
  return { ...results, finishedAt: new Date().toISOString() };
}

function log(line: string): void {
  process.stderr.write(`${new Date().toTimeString().slice(0, 5)} ${line}\n`);
}
