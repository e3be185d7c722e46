import { randomFrom } from '../../test/support/random.ts';
import { againstBroken } from '../support/broken-program.ts';
import { sabotages } from './sabotage.ts';
import { runSequence } from './sequence.ts';
import type { Outcome, Run, RunOptions, TortureTest } from '../support/torture-test.ts';

const stepsPerSequence = 40;

const run: Run = (options) => runSequences(options, () => false);
/** A control has shown enough once it has found something. */
const runUntilFault: Run = (options) => runSequences(options, (faults) => faults.length > 0);

async function runSequences(
  { rounds, seed, report, program }: RunOptions,
  isEnough: (faults: string[]) => boolean,
): Promise<Outcome> {
  const counts = new Map<string, number>();
  const faults: string[] = [];
  let done = 0;
  for (; done < rounds && !isEnough(faults); done++) {
    // The first sequence has the seed itself, so that each can be repeated alone.
    const random = randomFrom(seed + done);
    const found = await runSequence({ random, stepCount: stepsPerSequence, program, counts });
    faults.push(...found.map((fault) => `--seed ${seed + done} --rounds 1: ${fault}`));
    report(`${done + 1} sequences, ${counts.get('steps') ?? 0} steps, ${faults.length} faults`);
  }
  return { figures: { sequences: done, ...Object.fromEntries(counts) }, faults };
}

/** Every single one must be found. */
const findEach: Run = async (options) => {
  const faults: string[] = [];
  for (const { what, patches } of sabotages) {
    const { figures, faults: found } = await againstBroken(runUntilFault, patches)(options);
    if (found.length === 0) return { figures, faults: [] };
    faults.push(...found.map((fault) => `${what}: ${fault}`));
  }
  return { figures: {}, faults };
};

export const identity: TortureTest = {
  name: 'identity',
  description:
    'links, moves, replacements, hand copies, damage, kills, backups and restores of a few stores in random order, judged after each step',
  passesWhen:
    '0 acknowledged lost, changed or doubled; a revoked key is refused; whoever is refused, fails or only looks changes no byte',
  rounds: 100,
  unit: `sequences of ${stepsPerSequence} steps`,
  run,
  control: {
    description: `one promise is broken at a time: ${sabotages.map(({ what }) => what).join('; ')}`,
    rounds: 60,
    run: findEach,
  },
};
