import { makeFolder } from '../../test/support/process/process.ts';
import { randomFrom } from '../../test/support/random.ts';
import { againstBroken, type Patch } from '../support/broken-program.ts';
import { startChanges } from '../support/change-load.ts';
import { judgeChanges } from '../support/judge-changes.ts';
import { killUnderLoad, planLives } from '../support/kill-under-load.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';
import { acknowledgeBeforeCommit } from './kill.ts';

const run: Run = async ({ rounds, seed, report, program }) => {
  const random = randomFrom(seed);
  const faults: string[] = [];
  const figures = { kills: 0, 'pets created': 0, acknowledged: 0, 'without a response': 0, faults: 0 };
  for (const { victim, count } of planLives(rounds)) {
    using folder = makeFolder();
    const found: string[] = [];
    const { database } = folder;
    const { journal } = await killUnderLoad(
      { databaseUrl: database, victim, count, random, restartsMs: [], program },
      (url) => startChanges(url, seed + figures.kills),
      (load) => {
        // Reading the file fixes it, so most of the time that is left to the service.
        if (random.next() < 0.3) found.push(...judgeChanges(database, load.journal.records));
      },
    );
    found.push(...judgeChanges(database, journal.records), ...journal.wrong);
    faults.push(...found.map((fault) => `${victim}: ${fault}`));
    figures.kills += count;
    figures['pets created'] += journal.records.length;
    figures.acknowledged += journal.acknowledgedCount;
    figures['without a response'] += journal.records.filter(({ attempted }) => attempted).length;
    figures.faults = faults.length;
    report(`${figures.kills} kills, ${figures.acknowledged} acknowledged, ${faults.length} faults`);
  }
  return { figures, faults };
};

/** The order follows its pet in a commit of its own. */
const orderAfterCommit: Patch[] = [
  {
    file: 'src/sqlite/pet-changes.ts',
    find: `      if (ordered) writeOrder({ petId: id, status: ordered, createdAt: new Date(now), ...by });`,
    replace: `      if (ordered)
        setTimeout(() => writeOrder({ petId: id, status: ordered, createdAt: new Date(now), ...by }), 20);`,
  },
];

// Out here, so that a test knows their patches without running them.
const runAcknowledgeBeforeCommit = againstBroken(run, acknowledgeBeforeCommit);
const runOrderAfterCommit = againstBroken(run, orderAfterCommit);

/** Each of the broken programs must be found out. */
const runControls: Run = async (options) => {
  const early = await runAcknowledgeBeforeCommit(options);
  const apart = await runOrderAfterCommit(options);
  const faults = early.faults.length > 0 && apart.faults.length > 0 ? [...apart.faults, ...early.faults] : [];
  return { figures: {}, faults };
};

export const killChanges: TortureTest = {
  name: 'kill-changes',
  description: 'kill -9 at random moments while pets are changed, sold and deleted',
  passesWhen: 'every acknowledged change is there; each pet with its orders, or neither',
  rounds: 300,
  unit: 'kills',
  run,
  control: {
    description: 'the response is sent before the commit; the order is written after the commit of its pet',
    rounds: 6,
    run: runControls,
  },
};
