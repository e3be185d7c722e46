import type { Random } from '../../test/support/random.ts';
import { between } from '../../test/support/random.ts';
import {
  backUp,
  copyCommand,
  createKey,
  doctor,
  exportPets,
  importPets,
  revokeKey,
  writeOverStore,
} from './command-steps.ts';
import { flipLink, loseMemory, moveServed, replaceServed } from './disturb-steps.ts';
import { judgeWorld } from './judge.ts';
import {
  copyOverLog,
  copyStore,
  harmBackup,
  harmStore,
  hideFile,
  moveStopped,
  removeSideFile,
  type Step,
} from './operator-steps.ts';
import { removeStore } from './read-copy.ts';
import { killRestore, restore } from './restore-steps.ts';
import { createKilled, createSome, endOne, startOne } from './service-steps.ts';
import { Fault, World } from './world.ts';

/** Likelier than others by this factor. */
const steps: [weight: number, step: Step][] = [
  [12, startOne],
  [12, createSome],
  [5, endOne],
  [4, createKilled],
  [5, moveStopped],
  [2, moveServed],
  [2, replaceServed],
  [2, loseMemory],
  [4, flipLink],
  [2, removeSideFile],
  [3, copyStore],
  [2, copyOverLog],
  [1, hideFile],
  [3, harmStore],
  [1, harmBackup],
  [4, doctor],
  [4, exportPets],
  [5, backUp],
  [2, copyCommand],
  [3, importPets],
  [6, createKey],
  [5, revokeKey],
  [2, writeOverStore],
  [6, restore],
  [4, killRestore],
];
const weighted = steps.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));

/** So many stores at most: each of them is read again and again. */
const maxStores = 8;

export interface SequenceOptions {
  random: Random;
  stepCount: number;
  program: string | undefined;
  /** What was done how often, over all sequences. */
  counts: Map<string, number>;
}

/** Makes random steps in a world of its own and judges it after each. Returns what went wrong, which ends it. */
export async function runSequence({
  random,
  stepCount,
  program,
  counts,
}: SequenceOptions): Promise<string[]> {
  await using world = new World(random, program, counts);
  const done: string[] = [];
  const hide = (text: string) => text.replaceAll(`${world.pathOf('.')}/`, '');
  try {
    for (let step = 0; step < stepCount; step++) {
      done.push(hide(await makeStep(world, step === 0 ? [startOne] : weighted)));
      world.count('steps');
      await judgeWorld(world);
      forgetSome(world);
    }
    return [];
  } catch (error) {
    const text = error instanceof Fault ? error.message : String((error as Error).stack);
    return [`step ${done.length}: ${hide(text)} (after: ${done.slice(-6).join('; ')})`];
  }
}

/** Chooses until a step has something to do. */
async function makeStep(world: World, choice: readonly Step[]): Promise<string> {
  for (;;) {
    const done = await world.random.pick(choice)(world);
    if (done !== undefined) return done;
  }
}

/** Throws stores away that were judged. */
function forgetSome(world: World): void {
  while (world.stores.size > maxStores) {
    const [oldest] = world.stopped();
    if (!oldest) return;
    removeStore(oldest.path);
    world.stores.delete(oldest);
  }
  const [oldestBackup] = world.backups;
  if (world.backups.size > between(world.random, 4, 6) && oldestBackup) {
    removeStore(oldestBackup.path);
    world.backups.delete(oldestBackup);
  }
}
