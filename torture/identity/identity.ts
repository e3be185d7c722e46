import { randomFrom } from '../../test/support/random.ts';
import { againstBroken } from '../support/against-broken.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';
import { Fault } from './model.ts';
import { steps } from './steps.ts';
import { World } from './world.ts';

const stepsPerSequence = 40;

const run: Run = async ({ rounds, seed, report, broken }) => {
  const counts = new Map<string, number>();
  const faults: string[] = [];
  // A control has shown enough once it has found something.
  const enoughFaults = broken === undefined ? Infinity : 1;
  let done = 0;
  for (; done < rounds && faults.length < enoughFaults; done++) {
    // The first sequence has the seed itself, so that each can be repeated alone.
    faults.push(...(await runSequence(seed + done, broken, counts)));
    report(`${done + 1} sequences, ${counts.get('steps') ?? 0} steps, ${faults.length} faults`);
  }
  return { figures: { sequences: done, ...Object.fromEntries(counts) }, faults };
};

/** Makes random steps in a world of its own and judges it after each. Returns what went wrong, which ends it. */
async function runSequence(
  seed: number,
  broken: string | undefined,
  counts: Map<string, number>,
): Promise<string[]> {
  await using world = new World(randomFrom(seed), broken, counts);
  const done: string[] = [];
  try {
    while (done.length < stepsPerSequence) {
      const what = await world.random.pick(steps)(world);
      if (what === undefined) continue;
      done.push(what.replaceAll(`${world.pathOf('.')}/`, ''));
      world.count('steps');
      await world.judge();
    }
    return [];
  } catch (error) {
    const text = error instanceof Fault ? error.message : String((error as Error).stack);
    return [`--seed ${seed} --rounds 1, step ${done.length}: ${text} (after: ${done.slice(-6).join('; ')})`];
  }
}

export const identity: TortureTest = {
  name: 'identity',
  description:
    'moves, losses, kills, backups and restores of two stores in random order, judged after each step',
  passesWhen: 'no acknowledged pet is lost or doubled, no id is used again, a revoked key is refused',
  rounds: 100,
  unit: `sequences of ${stepsPerSequence} steps`,
  run,
  control: {
    description: 'a file that was moved or replaced goes unnoticed',
    rounds: 60,
    run: againstBroken(run, 'no-identity'),
  },
};
