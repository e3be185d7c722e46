import type { Category } from './category.ts';
import { petStatuses, type NewPet } from './pet.ts';

/** Creates plausible pets: most are available, some have no status yet. Equal starts give equal pets. */
export function createSamplePets(start: number): () => NewPet {
  const random = createRandom(start);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const [first, second] = [names.split(' '), natures.split(' ')];
  const statuses = [...petStatuses, 'available', 'available', 'available', undefined] as const;
  return () => {
    const status = pick(statuses);
    const name = random() < 0.7 ? pick(first) : `${pick(second)} ${pick(first)}`;
    const categoryId = BigInt(1 + Math.floor(random() * sampleCategories.length));
    return status === undefined ? { name, categoryId } : { name, categoryId, status };
  };
}

/** The categories of the sample pets, by their numbers from 1. */
export const sampleCategories: readonly Category[] =
  'Dogs Cats Birds Fish Rabbits Hamsters Mice Turtles Lizards Snakes Frogs Horses'
    .split(' ')
    .map((name, index) => ({ id: BigInt(index + 1), name }));

/** Mulberry32: small, fast, and the same on every machine. */
export function createRandom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const names =
  'Ada Bella Biscuit Bruno Charlie Cleo Coco Daisy Duke Ella Felix Finn Ginger Hazel Ivy Jasper Juno Kiwi Leo ' +
  'Lola Luna Maple Max Milo Misty Mochi Nala Nemo Olive Oreo Oscar Otis Pepper Pip Poppy Rex Rosie Ruby Rusty ' +
  'Sam Shadow Simba Smokey Sunny Tilly Toby Willow Winnie Ziggy';
const natures =
  'Brave Calm Clever Curious Gentle Happy Jolly Lively Little Lucky Merry Noble Proud Quiet Shy Swift';
