import { parseArgs } from 'node:util';
import { contestants } from './contestants.ts';
import { workloads } from './workloads.ts';

export interface BenchOptions {
  isQuick: boolean;
  workloads: string[];
  contestants: string[];
  /** The number of pets at which all are compared. */
  pets: number;
  /** Further sizes at which the service alone is measured. */
  otherSizes: number[];
  rounds: number;
  latencyRounds: number;
  seconds: number;
  /** Into which the seconds of a round are cut, so that all contestants get some of them at about the same time. */
  turns: number;
  warmUpSeconds: number;
  latencySeconds: number;
  connections: number;
  /** Goes on with the run that was cut off last. */
  isContinued: boolean;
}

export const help = `npm run bench -- [options]

  --quick               a look of about two minutes; leaves RESULTS.md alone
  --only WORKLOAD       one of ${workloads.map(({ id }) => id).join(', ')};
                        several with commas
  --contestants ID,ID   of ${contestants.map(({ id }) => id).join(', ')}
  --size N              compare at N pets (100000), and at no other size
  --rounds N            rounds (7)
  --seconds N           seconds of load per round and contestant (1)
  --continue            goes on with a run of the same options that was cut off
`;

const quickWorkloads = ['list', 'list-random', 'create'];
const quickContestants = ['petstore', 'limit-bun', 'fastify', 'elysia'];

export function readOptions(args: string[]): BenchOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', short: 'h' },
      quick: { type: 'boolean' },
      only: { type: 'string' },
      contestants: { type: 'string' },
      size: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      continue: { type: 'boolean' },
    },
  });
  if (values.help) return 'help';
  const isQuick = values.quick ?? false;
  const rounds = wholeNumber('--rounds', values.rounds, isQuick ? 2 : 7);
  const all = { workloads: workloads.map(({ id }) => id), contestants: contestants.map(({ id }) => id) };
  return {
    isQuick,
    workloads: choose('--only', values.only, all.workloads, isQuick ? quickWorkloads : all.workloads),
    contestants: choose(
      '--contestants',
      values.contestants,
      all.contestants,
      isQuick ? quickContestants : all.contestants,
    ),
    pets: wholeNumber('--size', values.size, 100_000),
    otherSizes: isQuick || values.size !== undefined ? [] : [1000, 10_000, 1_000_000, 10_000_000],
    rounds,
    latencyRounds: isQuick ? 0 : rounds,
    // Short, so that a whole run ends in an hour and a half.
    seconds: wholeNumber('--seconds', values.seconds, 1),
    turns: 4,
    warmUpSeconds: 1,
    latencySeconds: 1,
    connections: 64,
    isContinued: values.continue ?? false,
  };
}

export function choose(
  flag: string,
  given: string | undefined,
  known: string[],
  fallback: string[],
): string[] {
  if (given === undefined) return fallback;
  const chosen = given.split(',');
  const unknown = chosen.filter((id) => !known.includes(id));
  if (unknown.length > 0)
    throw new Error(`${flag} knows no ${unknown.join(', ')}. Known: ${known.join(', ')}.`);
  return chosen;
}

export function wholeNumber(flag: string, given: string | undefined, fallback: number): number {
  if (given === undefined) return fallback;
  const value = /^\d{1,9}$/.test(given) ? Number(given) : 0;
  if (value < 1) throw new Error(`${flag} takes a whole number from 1 up, not "${given}".`);
  return value;
}
