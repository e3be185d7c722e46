import { OperatorError, PetstoreError } from './error.ts';
import { foldName } from './fold.ts';
import { int64Range } from './int64.ts';
import { fieldOf, type ImportedPet, isJsonObject, type NumberedPet } from './pet.ts';

/** A name for a number that pets may carry. It owns nothing: a pet may carry a number without a name. */
export interface Category {
  id: bigint;
  name: string;
}

/** The category as JSON. Every store must produce the same bytes, because the ETag is their hash. */
export function renderCategory({ id, name }: Category): string {
  return `{"id":${id},"name":${JSON.stringify(name)}}`;
}

/** Characters are code points, as in JSON Schema. */
const validLength = /^[^]{1,100}$/u;

/** Reads the name from parsed JSON. */
export function parseCategoryName(body: unknown): string {
  const name = isJsonObject(body) ? fieldOf(body, 'name') : undefined;
  if (typeof name !== 'string')
    throw invalidCategory('The body must be a JSON object whose name is a string.');
  const problem = problemOfCategoryName(name);
  if (problem !== undefined) throw invalidCategory(`name ${problem}.`);
  return name;
}

/** What is wrong with a text as the name of a category; undefined if nothing is. */
export function problemOfCategoryName(name: string): string | undefined {
  if (!name.isWellFormed() || name.includes('\0')) return 'must be well-formed Unicode without U+0000';
  const isValid = name.trim() !== '' && validLength.test(name);
  return isValid ? undefined : 'must have 1 to 100 characters and must not be blank';
}

/** The numbers that new names may get: those after the largest named one. Undefined if no name is new. */
export function numbersForNewNames(
  pets: readonly ImportedPet[],
  categories: readonly Category[],
): { first: bigint; last: bigint } | undefined {
  const known = new Set(categories.map(({ name }) => comparable(name)));
  if (pets.every(({ categoryName }) => categoryName === undefined || known.has(comparable(categoryName))))
    return undefined;
  const first = numberAfter(categories);
  const last = first + 9999n;
  return { first, last: last < int64Range.largest ? last : int64Range.largest };
}

/** The categories ascend by id. */
function numberAfter(categories: readonly Category[]): bigint {
  return (categories.at(-1)?.id ?? 0n) + 1n;
}

/**
 * Finds the number of each category that a pet names, of several the lowest. A name that no number has gets the next
 * one that no pet carries, or else it would describe pets that are there, and is `added`.
 */
export function numberCategories(
  pets: readonly ImportedPet[],
  categories: readonly Category[],
  carried: ReadonlySet<bigint>,
): { pets: NumberedPet[]; added: Category[] } {
  const numbers = new Map<string, bigint>();
  const added: Category[] = [];
  for (const { id, name } of categories.toReversed()) numbers.set(comparable(name), id);
  let next = numberAfter(categories);
  const numberOf = (name: string): bigint => {
    const known = numbers.get(comparable(name));
    if (known !== undefined) return known;
    while (carried.has(next)) next += 1n;
    if (next > int64Range.largest) {
      throw new OperatorError(
        `No number is left for the category ${JSON.stringify(name)}.`,
        'Use categoryId in the file, or remove the category with the largest number.',
      );
    }
    numbers.set(comparable(name), next);
    added.push({ id: next, name });
    return next++;
  };
  const numbered = pets.map(({ categoryId, categoryName = '', ...pet }) => ({
    ...pet,
    categoryId: categoryId ?? numberOf(categoryName),
  }));
  return { pets: numbered, added };
}

function comparable(name: string): string {
  return foldName(name.trim());
}

function invalidCategory(message: string): PetstoreError {
  return new PetstoreError('invalid_category', message);
}

export function categoryNotFound(): PetstoreError {
  return new PetstoreError('not_found', 'No category has this id.');
}
