import { between } from '../../test/support/random.ts';
import type { Step } from './operator-steps.ts';
import { createPets, end, start } from './services.ts';
import { Fault, fixedNames } from './world.ts';

const maxServices = 2;

export const startOne: Step = async (world) => {
  if (world.services.size >= maxServices) return undefined;
  const name = world.random.pick(world.chance(0.6) ? fixedNames : world.names());
  const workers = world.chance(0.2) ? 2 : 1;
  const serving = await start(world, name, workers);
  return `${serving ? 'started' : 'refused to start'} ${name}, ${workers} workers`;
};

export const createSome: Step = async (world) => {
  const serving = world.random.pick([...world.services]);
  if (!serving) return undefined;
  // One after the other, so that the log holds several commits.
  const count = between(world.random, 1, 6);
  for (let done = 0; done < count; done++) {
    const { refused } = await createPets(world, serving, between(world.random, 1, 3));
    if (refused > 0) throw new Fault(`${serving.name} refuses creates`);
  }
  return `created pets in ${serving.name}`;
};

export const endOne: Step = async (world) => {
  const serving = world.random.pick([...world.services]);
  if (!serving) return undefined;
  const isKilled = world.chance(0.5);
  await end(world, serving, isKilled);
  return `${isKilled ? 'killed' : 'stopped'} ${serving.name}`;
};

/** Killed while it creates: what it acknowledged before is there. */
export const createKilled: Step = async (world) => {
  const serving = world.random.pick([...world.services]);
  if (!serving) return undefined;
  const creating = createPets(world, serving, 10);
  await Bun.sleep(world.random.next() * 10);
  const ended = end(world, serving, true);
  await creating;
  await ended;
  return `killed ${serving.name} while it created`;
};
