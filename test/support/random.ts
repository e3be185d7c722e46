import { createRandom } from '../../src/domain/sample-pets.ts';

/** Chance that can be repeated: the same seed makes the same choices. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** One of the items; undefined when there is none. */
  pick<Item>(items: readonly Item[]): Item;
}

export function randomFrom(seed: number): Random {
  const next = createRandom(seed);
  return { next, pick: (items) => items[Math.floor(next() * items.length)]! };
}

/** A whole number, both ends included. */
export function between(random: Random, smallest: number, largest: number): number {
  return smallest + Math.floor(random.next() * (largest - smallest + 1));
}
