import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { contestantOf } from './contestants.ts';
import { coreLayout } from './cores.ts';
import { cleanUpWhenCutOff } from './cut-off.ts';
import { runWrk, type Target } from './load.ts';
import { openPlaces, type Places } from './places.ts';
import { choose, wholeNumber } from './options.ts';
import { missingTools } from './prepare.ts';
import { startServer } from './server.ts';
import { spreadOf } from './statistics.ts';
import { describeSpread } from './targets.ts';
import { workloads, type Workload } from './workloads.ts';

/**
 * Compares what a request takes of the processor here with what it takes in another checkout. Both serve at the same
 * time on one core, so that whatever the machine's speed does hits both alike: 2 % can be seen, which the
 * benchmark with its turns does not show.
 */

/** Those that need nothing beside the server and its load. */
const comparable = workloads.filter(
  ({ id, isConditional, isOnSlowDisk }) => !isConditional && !isOnSlowDisk && id !== 'processes',
);
const usual = ['list', 'list-random', 'get', 'create'];

const help = `npm run bench:compare -- CHECKOUT [options]

  CHECKOUT          the root of another checkout of this project, with its node_modules
  --only WORKLOAD   of ${comparable.map(({ id }) => id).join(', ')};
                    several with commas (${usual.join(',')})
  --rounds N        of two seconds each (12)
  --size N          pets (100000)
`;
const seconds = 2;
const connections = 64;

if (import.meta.main) {
  cleanUpWhenCutOff();
  await main(process.argv.slice(2));
}

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      size: { type: 'string' },
    },
  });
  const [other] = positionals;
  const ids = comparable.map(({ id }) => id);
  const chosen = choose('--only', values.only, ids, usual);
  const rounds = wholeNumber('--rounds', values.rounds, 12);
  const pets = wholeNumber('--size', values.size, 100_000);
  const isCheckout = other !== undefined && existsSync(join(other, 'src/cli/petstore.ts'));
  const complaints = isCheckout ? missingTools().map((line) => `${line}\n`) : [help];
  if (complaints.length > 0) {
    process.stderr.write(complaints.join(''));
    process.exitCode = 2;
    return;
  }
  const checkouts = { here: join(import.meta.dir, '..'), there: resolve(other!) };
  await using places = openPlaces();
  for (const workload of comparable.filter(({ id }) => chosen.includes(id))) {
    process.stdout.write(describe(workload, await compare(places, workload, checkouts, rounds, pets)));
  }
}

function describe({ title }: Workload, rounds: Each<number>[]): string {
  const middle = (side: keyof Each<number>): string =>
    spreadOf(rounds.map((round) => round[side]))!.median.toFixed(1);
  const speed = spreadOf(rounds.map(({ here, there }) => there / here))!;
  return `${title}: ${middle('here')} µs of the processor here, ${middle('there')} there: ${describeSpread(speed)} as fast here\n`;
}

type Each<Value> = Record<'here' | 'there', Value>;

async function compare(
  places: Places,
  workload: Workload,
  checkouts: Each<string>,
  rounds: number,
  pets: number,
): Promise<Each<number>[]> {
  const service = contestantOf('petstore');
  const { server: cores, load } = coreLayout(1);
  await using stack = new AsyncDisposableStack();
  const { file } = await places.requests(service, workload, pets);
  const begin = async (checkout: string) => {
    const { place } = stack.use(await places.open(service, workload, pets));
    const server = stack.use(
      await startServer({ contestant: service.id, place, processes: 1, cores, checkout }),
    );
    const { port, headers, pid } = server;
    const target: Target = { port, headers, requestsFile: file, connections, cores: load };
    return (): ReturnType<typeof runWrk> => runWrk(target, { seconds, serverPid: pid });
  };
  const [here, there] = [await begin(checkouts.here), await begin(checkouts.there)];
  const measured: Each<number>[] = [];
  for (let round = 0; round <= rounds; round++) {
    const [own, others] = await Promise.all([here(), there()]);
    const micros = ({ serverSeconds, requests }: typeof own): number => (serverSeconds * 1e6) / requests;
    if (own.errors + others.errors > 0) throw new Error('There were answers that are errors.');
    // The first is the warm-up.
    if (round > 0) measured.push({ here: micros(own), there: micros(others) });
  }
  return measured;
}
