import { makeFolder } from '../../test/support/process/process.ts';
import { randomFrom } from '../../test/support/random.ts';
import { percentile, round } from '../../test/support/statistics.ts';
import { againstBroken, type Patch } from '../support/broken-program.ts';
import { add, faultsOf, judgeFile, nothingYet, type Judgement } from '../support/judge.ts';
import { killUnderLoad, planLives } from '../support/kill-under-load.ts';
import { startLoad } from '../support/load.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const run: Run = async ({ rounds, seed, report, program }) => {
  const random = randomFrom(seed);
  const restartsMs: number[] = [];
  const faults: string[] = [];
  let total: Judgement = nothingYet;
  let done = 0;
  for (const { victim, count } of planLives(rounds)) {
    using folder = makeFolder();
    const damage: string[] = [];
    const life = { databaseUrl: folder.database, victim, count, random, restartsMs, program };
    const { journal } = await killUnderLoad(
      life,
      (url) => startLoad({ url }),
      (load) => {
        // Reading the file fixes it, so most of the time that is left to the service.
        if (random.next() < 0.3) damage.push(...judgeFile(folder.database, load.journal).damage);
      },
    );
    const judgement = judgeFile(folder.database, journal);
    total = add(total, judgement);
    const found = [...damage, ...judgement.damage, ...faultsOf(judgement)];
    faults.push(...found.map((fault) => `${victim}: ${fault}`));
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

/** The response leaves 20 ms before the commit. */
export const acknowledgeBeforeCommit: Patch[] = [
  {
    file: 'src/sqlite/writer-thread.ts',
    find: `    commit(connection);`,
    replace: `    const open = connection;
    const commitIfBegun = () => void (database.inTransaction && commit(open));
    if (jobs.some(({ kind }) => kind.endsWith('-pet'))) setTimeout(commitIfBegun, 20);
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
