import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openData } from './contestants/data.ts';
import { startContestant } from './contestants/start.ts';
import { cleanUpWhenInterrupted } from './load/processes.ts';
import { updateWorkload, workloads } from './load/workloads.ts';
import { runWrk, type Load } from './load/wrk.ts';
import { choose, exitWith, missingTools } from './prepare.ts';
import { describeSpread, spreadOf } from './report/statistics.ts';

/**
 * Compares the processor time of a request here and in another checkout. Both serve at the same time on one core, so
 * a machine that changes its speed changes it for both.
 */
const comparable = [...workloads, updateWorkload].filter(
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
  const middle = (side: 0 | 1): string => spreadOf(measured.map((round) => round[side]))!.median.toFixed(1);
  const speed = describeSpread(spreadOf(measured.map(([here, there]) => there / here))!);
  const micros = `${middle(0)} µs of processor time here, ${middle(1)} there`;
  process.stdout.write(`${title}: ${micros}: ${speed} as fast here\n`);
}

/** The processor time of a request in microseconds, here and there, in each round. */
async function compare(workload: string): Promise<[number, number][]> {
  const cell = { workload, contestant, pets: Number(pets) };
  const setting = { open: data.open, connections: 64 };
  await using here = await startContestant(cell, setting);
  await using there = await startContestant(cell, { ...setting, checkout });
  const measured: [number, number][] = [];
  // The first round is the warm-up.
  for (let round = 0; round <= Number(rounds); round++) {
    const [own, other] = await Promise.all([runWrk(here, Number(seconds)), runWrk(there, Number(seconds))]);
    if (round > 0) measured.push([microsOf(own), microsOf(other)]);
  }
  return measured;
}

function microsOf({ serverSeconds, requests, errors }: Load): number {
  if (errors > 0) throw new Error(`${errors} responses were errors.`);
  if (requests === 0) throw new Error('There was no response.');
  return (serverSeconds * 1e6) / requests;
}
