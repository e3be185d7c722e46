import { OperatorError, PetstoreError, usageError } from '../error.ts';
import { petStatuses, type NewPet } from '../pet.ts';
import { integerOf, readArguments } from './arguments.ts';
import { databaseUrlOf, settings } from './config.ts';
import { batchSize } from './import/add.ts';
import { watchForInterruption } from './terminal/interruption.ts';
import { print, reasonOf } from './terminal/output.ts';
import { showProgress } from './terminal/progress.ts';
import { openImportStore } from '../stores.ts';

const help = `Add made-up pets to a store, to try things out with. The same seed gives the same pets.

Usage: petstore seed --count NUMBER [options]

Options:
  --count NUMBER        How many pets to add.
  --seed NUMBER         Where the making-up begins. Default: 1
  --database-url PLACE  ${settings.databaseUrl.help} (DATABASE_URL)
                        Default: ${settings.databaseUrl.fallback}

Examples:
  petstore seed --count 100
  petstore seed --count 1000000 --database-url /tmp/large.db
`;

export const options = {
  count: { type: 'string' },
  seed: { type: 'string' },
  'database-url': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export async function seed(args: string[]): Promise<number> {
  const { values } = readArguments('seed', args, { options, allowPositionals: false });
  if (values.help) return print(help);
  if (values.count === undefined) throw usageError('Say how many: petstore seed --count NUMBER');
  const total = integerOf('--count', values.count, 1, 1_000_000_000);
  const makePet = createPetMaker(integerOf('--seed', values.seed ?? '1', 0, 2 ** 32 - 1));
  using interruption = watchForInterruption();
  const store = await openImportStore(databaseUrlOf(values['database-url'], process.env));
  let done = 0;
  try {
    using progress = showProgress('added', total, process.stderr);
    while (done < total && interruption.exitStatus === undefined) {
      const pets = Array.from({ length: Math.min(batchSize, total - done) }, makePet);
      await store.addPets(pets);
      done += pets.length;
      progress.add(pets.length);
      // Only between two turns of the event loop can a signal arrive.
      await new Promise(setImmediate);
    }
  } catch (error) {
    if (!(error instanceof PetstoreError)) throw error;
    throw new OperatorError(`${reasonOf(error)}. ${done.toLocaleString('en')} pets were added.`);
  } finally {
    await store.close();
  }
  process.stdout.write(`Added ${done.toLocaleString('en')} ${done === 1 ? 'pet' : 'pets'}.\n`);
  if (done === total) return 0;
  process.stderr.write(`Stopped. To go on: petstore seed --count ${total - done} --seed ${done}\n`);
  return interruption.exitStatus ?? 1;
}

const names =
  'Ada Bella Biscuit Bruno Charlie Cleo Coco Daisy Duke Ella Felix Finn Ginger Hazel Ivy Jasper Juno Kiwi Leo ' +
  'Lola Luna Maple Max Milo Misty Mochi Nala Nemo Olive Oreo Oscar Otis Pepper Pip Poppy Rex Rosie Ruby Rusty ' +
  'Sam Shadow Simba Smokey Sunny Tilly Toby Willow Winnie Ziggy';
const natures =
  'Brave Calm Clever Curious Gentle Happy Jolly Lively Little Lucky Merry Noble Proud Quiet Shy Swift';

/** How many kinds of pets the store has. */
const categoryCount = 12;

/** Makes one plausible pet after the other: most are available, some have no status yet. */
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

/** Mulberry32: small, quick, and the same everywhere. */
function createRandom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
