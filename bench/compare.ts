import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openData } from './contestants/data.ts';
import { type Running, startContestant } from './contestants/start.ts';
import { cpuSeconds } from '../test/support/process/process-figures.ts';
import { cleanUpWhenInterrupted } from './load/processes.ts';
import { ownWorkloads, workloads } from './load/workloads.ts';
import { runWrk } from './load/wrk.ts';
import { choose, exitWith, missingTools } from './prepare.ts';
import { describeSpread, spreadOf } from './report/statistics.ts';

/**
 * Compares the processor time of a request here and in another checkout. Both serve at the same time on one core, so
 * a machine that changes its speed changes it for both. So do their sessions of one PostgreSQL server on another core.
 */
const comparable = [...workloads, ...ownWorkloads].filter(
  ({ isOnSlowDisk, isCold }) => !isOnSlowDisk && !isCold,
);
const ids = comparable.map(({ id }) => id);
const usual = ['list', 'list-random', 'get', 'create'];
const help = `npm run bench:compare -- CHECKOUT [options]

  CHECKOUT       the root of another checkout of this project, with its node_modules
  --store KIND   sqlite or postgres. Default: sqlite
  --only ID,ID   of ${ids.join(', ')}
                 Default: ${usual.join(',')}
  --rounds N     Default: 12
  --seconds N    of load in each round. Default: 2
  --pets N       in the store. Default: 100000
`;

cleanUpWhenInterrupted();
const text = { type: 'string' } as const;
const options = { store: text, only: text, rounds: text, seconds: text, pets: text } as const;
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const checkout = resolve(positionals[0] ?? '/');
const { rounds = 12, seconds = 2, pets = 100_000 } = values;
const chosen = choose('--only', values.only, ids, usual);
const [store] = choose('--store', values.store, ['sqlite', 'postgres'], ['sqlite']);
const contestant = store === 'postgres' ? 'petstore-postgres' : 'petstore';
exitWith(existsSync(join(checkout, 'src/cli/petstore.ts')) ? missingTools() : [help], 2);
await using data = openData();
for (const { id, title } of comparable.filter((workload) => chosen.includes(workload.id))) {
  const measured = await compare(id);
  process.stdout.write(`${title}: ${describe(measured, 'service')}\n`);
  if (store === 'postgres') process.stdout.write(`  PostgreSQL: ${describe(measured, 'postgres')}\n`);
}

/** Microseconds of processor time for a request. PostgreSQL's are those of its sessions with this service. */
type Micros = Record<'service' | 'postgres', number>;
type Round = Record<'here' | 'there', Micros>;

async function compare(workload: string): Promise<Round[]> {
  const cell = { workload, contestant, pets: Number(pets) };
  const setting = { open: data.open, connections: 64 };
  await using here = await startContestant(cell, setting);
  await using there = await startContestant(cell, { ...setting, checkout });
  const measured: Round[] = [];
  // The first round is the warm-up.
  for (let round = 0; round <= Number(rounds); round++) {
    const [own, other] = await Promise.all([measure(here), measure(there)]);
    if (round > 0) measured.push({ here: own, there: other });
  }
  return measured;
}

async function measure(running: Running): Promise<Micros> {
  const before = await sessionSeconds(running);
  const { serverSeconds, requests, errors } = await runWrk(running, Number(seconds));
  if (errors > 0) throw new Error(`${errors} responses were errors.`);
  if (requests === 0) throw new Error('There was no response.');
  const micros = (used: number): number => (used * 1e6) / requests;
  const after = await sessionSeconds(running);
  const used = [...after].map(([pid, total]) => total - (before.get(pid) ?? 0));
  return { service: micros(serverSeconds), postgres: micros(used.reduce((sum, each) => sum + each, 0)) };
}

/** By process, because a session may end and another one begin. */
async function sessionSeconds({ sessions }: Running): Promise<Map<number, number>> {
  const pids = (await sessions?.()) ?? [];
  return new Map(pids.map((pid) => [pid, cpuSeconds([pid])]));
}

function describe(measured: readonly Round[], whose: keyof Micros): string {
  const middle = (side: keyof Round): string =>
    spreadOf(measured.map((round) => round[side][whose]))!.median.toFixed(1);
  const speed = describeSpread(spreadOf(measured.map(({ here, there }) => there[whose] / here[whose]))!);
  return `${middle('here')} µs of processor time here, ${middle('there')} there: ${speed} as fast here`;
}
