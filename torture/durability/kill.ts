import { makeFolder, type Service } from '../../test/support/process/process.ts';
import { childrenOf, isRunning } from '../../test/support/process/process-tree.ts';
import { type Random, between, randomFrom } from '../../test/support/random.ts';
import { percentile, round } from '../../test/support/statistics.ts';
import { againstBroken, type Patch } from '../support/broken-program.ts';
import { add, faultsOf, judgeFile, nothingYet, type Judgement } from '../support/judge.ts';
import { startLoad, type Load } from '../support/load.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const victims = ['process', 'worker', 'parent'] as const;
type Victim = (typeof victims)[number];

/** So many kills share a store at most; reading it back whole stays quick. */
const maxKillsPerStore = 10;

const run: Run = async ({ rounds, seed, report, program }) => {
  const random = randomFrom(seed);
  const restartsMs: number[] = [];
  const faults: string[] = [];
  let total: Judgement = nothingYet;
  const killsPerStore = Math.min(maxKillsPerStore, Math.ceil(rounds / victims.length));
  for (let done = 0, store = 0; done < rounds; store++) {
    const count = Math.min(killsPerStore, rounds - done);
    const victim = victims[store % victims.length]!;
    const life = await killInOneStore({ victim, count, random, restartsMs, program });
    total = add(total, life);
    faults.push(...[...life.damage, ...faultsOf(life)].map((fault) => `${victim}: ${fault}`));
    done += count;
    report(`${done} kills, ${total.acknowledged} acknowledged, ${total.lost} lost`);
  }
  return {
    figures: {
      kills: rounds,
      ...total,
      'restart, median ms': round(percentile(restartsMs, 0.5), 0),
      'restart, slowest ms': round(percentile(restartsMs, 1), 0),
    },
    faults,
  };
};

interface Life {
  victim: Victim;
  count: number;
  random: Random;
  restartsMs: number[];
  program: string | undefined;
}

async function killInOneStore({ victim, count, random, restartsMs, program }: Life) {
  using folder = makeFolder();
  const start = async (): Promise<Service> => {
    const startedAt = performance.now();
    const started = await serve({
      databaseUrl: folder.database,
      workers: victim === 'process' ? 1 : 2,
      program,
    });
    restartsMs.push(performance.now() - startedAt);
    return started;
  };
  let service = await start();
  const load: Load = startLoad({ url: () => service.url });
  const damage: string[] = [];
  try {
    for (let kill = 0; kill < count; kill++) {
      await load.untilAcknowledged(between(random, 10, 80));
      if (victim === 'worker') {
        await killWorker(service, random);
        continue;
      }
      await service.kill9();
      await service[Symbol.asyncDispose]();
      // Reading the file fixes it, so most of the time that is left to the service.
      if (random.next() < 0.3) damage.push(...judgeFile(folder.database, load.journal).damage);
      service = await start();
    }
    await load.untilAcknowledged(10);
    await load.stop();
  } finally {
    await service[Symbol.asyncDispose]();
  }
  const judgement = judgeFile(folder.database, load.journal);
  return { ...judgement, damage: [...damage, ...judgement.damage] };
}

async function killWorker(service: Service, random: Random): Promise<void> {
  let workers = childrenOf(service.pid);
  while (workers.length < 2) {
    await Bun.sleep(5);
    workers = childrenOf(service.pid);
  }
  const victim = random.pick(workers);
  process.kill(victim, 'SIGKILL');
  while (isRunning(victim)) await Bun.sleep(2);
}

/** The response leaves 20 ms before the commit. */
export const acknowledgeBeforeCommit: Patch[] = [
  {
    file: 'src/sqlite/writer-thread.ts',
    find: `    commit(connection);`,
    replace: `    const open = connection;
    const commitIfBegun = () => void (database.inTransaction && commit(open));
    if (jobs.some(({ kind }) => kind === 'create-pet')) setTimeout(commitIfBegun, 20);
    else commitIfBegun();`,
  },
  {
    file: 'src/sqlite/writer-thread.ts',
    find: `    whenFree(() => begin.run());`,
    replace: `    if (!database.inTransaction) whenFree(() => begin.run());`,
  },
];

export const kill: TortureTest = {
  name: 'kill',
  description: 'kill -9 of the process, of a worker or of the parent at random moments under load',
  passesWhen: 'lost = doubled = unexpected = 0, integrity check clean',
  rounds: 500,
  unit: 'kills',
  run,
  control: {
    description: 'the response is sent before the commit',
    rounds: 15,
    run: againstBroken(run, acknowledgeBeforeCommit),
  },
};
