import { PetstoreError } from './error.ts';
import { parseRendered } from './int64.ts';
import { fieldOf, isJsonObject } from './pet.ts';

/** A name for a number that pets may carry. It owns nothing: a pet may carry a number without a name. */
export interface Category {
  id: bigint;
  name: string;
}

/** The category as JSON: what is stored and what callers get. The ETag is the hash of these bytes. */
export function renderCategory({ id, name }: Category): string {
  return `{"id":${id},"name":${JSON.stringify(name)}}`;
}

/** The category that {@link renderCategory} has rendered. */
export function readCategory(json: string): Category {
  return parseRendered(json) as Category;
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

function invalidCategory(message: string): PetstoreError {
  return new PetstoreError('invalid_category', message);
}

export function categoryNotFound(): PetstoreError {
  return new PetstoreError('not_found', 'No category has this id.');
}
