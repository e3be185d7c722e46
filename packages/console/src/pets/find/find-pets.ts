import type { Pet } from '../../../../client/src/index.ts';
import { statusKeyOf, type StatusCounts } from '../data/pet-collection.ts';
import type { PetQuery, StatusFilter } from './query.ts';

export interface FoundPets {
  /** In the order of the query. */
  pets: Pet[];
  /** How many pets match the text, by status. */
  counts: Record<StatusFilter, number>;
}

/**
 * Finds the pets of a query among pets in order of id. Every word must be part of the name, or be the category number
 * or the id. Case and accents of names do not matter.
 */
export function findPets(all: readonly Pet[], { text, status, order }: PetQuery): FoundPets {
  const words = fold(text).split(/\s+/).filter(Boolean).map(toWord);
  const counts: StatusCounts = { available: 0, pending: 0, sold: 0, none: 0 };
  const pets: Pet[] = [];
  for (const pet of all) {
    if (!words.every((word) => isMatch(pet, word))) continue;
    const key = statusKeyOf(pet);
    counts[key] += 1;
    if (status === 'all' || status === key) pets.push(pet);
  }
  if (order === 'newest') pets.reverse();
  const everyPet = counts.available + counts.pending + counts.sold + counts.none;
  return { pets, counts: { ...counts, all: everyPet } };
}

/** The index of a pet in a list that is ordered by id, either way; -1 when it is not there. */
export function indexOfPet(pets: readonly Pet[], id: bigint): number {
  const isAscending = (pets[0]?.id ?? 0n) < (pets.at(-1)?.id ?? 0n);
  let [low, high] = [0, pets.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = pets[middle]?.id ?? id;
    if (found === id) return middle;
    if (found < id === isAscending) low = middle + 1;
    else high = middle;
  }
  return -1;
}

interface Word {
  text: string;
  number: bigint | undefined;
}

function toWord(text: string): Word {
  return { text, number: /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined };
}

function isMatch(pet: Pet, { text, number }: Word): boolean {
  if (number !== undefined && (pet.id === number || pet.categoryId === number)) return true;
  return foldedNameOf(pet).includes(text);
}

/** Folding every name anew at each key stroke would be felt with many pets. */
const foldedNames = new WeakMap<Pet, string>();

function foldedNameOf(pet: Pet): string {
  let folded = foldedNames.get(pet);
  if (folded === undefined) {
    folded = fold(pet.name);
    foldedNames.set(pet, folded);
  }
  return folded;
}

/** Letters without their case and accents: `Zoë` and `ZOE` are the same. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  // Most names are ASCII, where there is nothing to take off.
  if (/^[\0-\x7f]*$/.test(lower)) return lower;
  return lower.normalize('NFKD').replace(/\p{Mn}/gu, '');
}
