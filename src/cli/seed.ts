import type { Command } from 'commander';
import { petStatuses, type NewPet } from '../pet.ts';
import { openImportStore } from '../stores.ts';
import { storeOptions } from './audit.ts';
import { batchSize } from './import/add.ts';
import { settings } from './settings.ts';
import { addExamples } from './terminal/help.ts';
import { watchForInterruption } from './terminal/interruption.ts';
import { asInterrupted, countOf, print } from './terminal/output.ts';
import { showProgress } from './terminal/progress.ts';
import { integerFrom } from './values.ts';

interface SeedOptions {
  count: number;
  seed: number;
  databaseUrl: string;
}

export function define(command: Command): void {
  command
    .description('Add made-up pets to a store, to try things out. The same seed makes the same pets.')
    .requiredOption('--count <number>', 'How many pets to add.', integerFrom(1, 1_000_000_000))
    .option('--seed <number>', 'Where the random numbers start.', integerFrom(0, 2 ** 32 - 1), 1)
    .addOption(settings.databaseUrl)
    .action(seed);
  addExamples(
    command,
    'petstore seed --count 100',
    'petstore seed --count 1000000 --database-url /tmp/large.db',
  );
}

async function seed({ count, seed: start, databaseUrl }: SeedOptions): Promise<void> {
  const makePet = createPetMaker(start);
  using interruption = watchForInterruption();
  const store = await openImportStore(databaseUrl, storeOptions(databaseUrl));
  let done = 0;
  try {
    using progress = showProgress('added', count);
    while (done < count && interruption.exitStatus === undefined) {
      const pets = Array.from({ length: Math.min(batchSize, count - done) }, makePet);
      await store.addPets(pets);
      done += pets.length;
      progress.add(pets.length);
      // A signal can arrive only between two turns of the event loop.
      await new Promise(setImmediate);
    }
  } catch (error) {
    throw asInterrupted('seeding', error, `${countOf(done, 'pet')} were added.`);
  } finally {
    await store.close();
  }
  print(`Added ${countOf(done, 'pet')}.\n`);
  if (done === count) return;
  process.stderr.write(`Stopped. To continue: petstore seed --count ${count - done} --seed ${done}\n`);
  process.exitCode = interruption.exitStatus ?? 1;
}

const names =
  'Ada Bella Biscuit Bruno Charlie Cleo Coco Daisy Duke Ella Felix Finn Ginger Hazel Ivy Jasper Juno Kiwi Leo ' +
  'Lola Luna Maple Max Milo Misty Mochi Nala Nemo Olive Oreo Oscar Otis Pepper Pip Poppy Rex Rosie Ruby Rusty ' +
  'Sam Shadow Simba Smokey Sunny Tilly Toby Willow Winnie Ziggy';
const natures =
  'Brave Calm Clever Curious Gentle Happy Jolly Lively Little Lucky Merry Noble Proud Quiet Shy Swift';

const categoryCount = 12;

/** Makes plausible pets: most are available, some have no status yet. */
function createPetMaker(start: number): () => NewPet {
  const random = createRandom(start);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const [first, second] = [names.split(' '), natures.split(' ')];
  const statuses = [...petStatuses, 'available', 'available', 'available', undefined] as const;
  return () => {
    const status = pick(statuses);
    const name = random() < 0.7 ? pick(first) : `${pick(second)} ${pick(first)}`;
    const categoryId = BigInt(1 + Math.floor(random() * categoryCount));
    return status === undefined ? { name, categoryId } : { name, categoryId, status };
  };
}

/** Mulberry32: small, fast, and the same on every machine. */
function createRandom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
