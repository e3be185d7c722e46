/** Chance that can be repeated: the same seed makes the same choices. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** One of the items; undefined when there is none. */
  pick<Item>(items: readonly Item[]): Item;
}

/** Mulberry32: small, and even enough for choosing among a few things. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, pick: (items) => items[Math.floor(next() * items.length)]! };
}

/** A whole number, both ends included. */
export function between(random: Random, smallest: number, largest: number): number {
  return smallest + Math.floor(random.next() * (largest - smallest + 1));
}
