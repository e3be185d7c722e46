import type { Command } from 'commander';
import { isNotFound, isPetstoreError } from '../../packages/client/src/index.ts';
import type { NewPet } from '../domain/pet.ts';
import { createSamplePets, sampleCategories } from '../domain/sample-pets.ts';
import {
  addServiceOptions,
  type CalledService,
  checkWritingKey,
  forEachAtOnce,
  refusalOf,
  type ServiceFlags,
  serviceOf,
} from './service.ts';
import { integer } from './settings.ts';
import { countOf, print } from './terminal/output.ts';
import { reportProgress } from '../system/progress.ts';
import { addExamples } from './terminal/usage.ts';

interface SeedFlags extends ServiceFlags {
  count: number;
  seed: number;
}

const readCount = integer(1, 1_000_000_000);
const readSeed = integer(0, 2 ** 32 - 1);

export function define(command: Command): void {
  command
    .description(
      'Add sample pets through a running service, to try things out. The same seed makes the same pets.',
    )
    .requiredOption('--count <number>', 'How many pets to add.', (text) => readCount(text, '--count'))
    .option('--seed <number>', 'The seed of the random numbers.', (text) => readSeed(text, '--seed'), 1)
    .action(seed);
  addServiceOptions(command);
  addExamples(command, 'petstore seed --count 100', 'petstore seed --count 1000 --url https://pets.example');
}

async function seed({ count, seed: start, ...flags }: SeedFlags): Promise<void> {
  const service = serviceOf(flags);
  await checkWritingKey(service);
  let added = 0;
  const progress = reportProgress('added', count);
  try {
    await nameCategories(service);
    await forEachAtOnce(samplePets(start, count), async (pet) => {
      await service.client.createPet(pet);
      added += 1;
      progress.add(1);
    });
  } catch (error) {
    throw refusalOf(error, `${countOf(added, 'pet')} were added.`);
  } finally {
    progress[Symbol.dispose]();
  }
  print(`Added ${countOf(added, 'pet')} to ${service.address}.\n`);
}

function* samplePets(start: number, count: number): Generator<NewPet> {
  const makePet = createSamplePets(start);
  for (let index = 0; index < count; index++) yield makePet();
}

/** A number keeps the name that it has. A service with `--stable-only` has no names. */
async function nameCategories({ client }: CalledService): Promise<void> {
  for (const { id, name } of sampleCategories) {
    try {
      await client.putCategory(id, name, { ifNoneMatch: '*' });
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isPetstoreError(error, 'precondition_failed')) throw error;
    }
  }
}
