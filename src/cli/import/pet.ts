import { problemOfCategoryName } from '../../domain/category.ts';
import { JsonNumber, parseExactJson, parseInt64, toInt64 } from '../../domain/int64.ts';
import {
  InvalidPetError,
  isJsonObject,
  type JsonObject,
  type NewPet,
  parseNewPet,
} from '../../domain/pet.ts';
import { findJsonProblem } from '../../http/json-problem.ts';

/** A pet of a file. Its category is a number, or a name whose number is not known yet. */
export interface FilePet extends Omit<NewPet, 'categoryId'> {
  category: bigint | string;
}

/** A row of a file, with its pet or what is wrong with it. */
export interface Row {
  /** The first line of the row, counted from 1. */
  line: number;
  pet?: FilePet;
  problem?: string;
}

/** Reads a pet from JSON by the rules of the API. */
export function readJsonPet(text: string): Omit<Row, 'line'> {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    const problem = findJsonProblem(text);
    const where = problem ? ` at column ${problem.column}: ${problem.reason}` : `: ${quoteText(text)}`;
    return { problem: `This is not JSON${where}.` };
  }
  if (isJsonObject(value)) return readPet(value);
  return { problem: 'A pet is a JSON object with the fields name and categoryId.' };
}

/** Reads a pet from the fields of parsed JSON. */
export function readPet(fields: JsonObject): Omit<Row, 'line'> {
  try {
    return { pet: parsePet(fields) };
  } catch (error) {
    if (!(error instanceof InvalidPetError)) throw error;
    const problems = Object.entries(error.problems);
    return { problem: problems.map(([field, problem]) => withValue(problem, fields[field])).join(' ') };
  }
}

function parsePet(fields: JsonObject): FilePet {
  const category = fields['categoryId'] === undefined ? parseCategory(fields['category']) : undefined;
  // Any number will do to check the other fields.
  const checked = typeof category === 'string' ? 0n : category;
  const { categoryId, ...pet } = parseNewPet(
    checked === undefined ? fields : { ...fields, categoryId: checked },
  );
  return { ...pet, category: category ?? categoryId };
}

/** `category` may stand in place of `categoryId`: a number or a name. */
function parseCategory(value: unknown): bigint | string | undefined {
  if (value === undefined) return undefined;
  const name = typeof value === 'string' ? value.trim() : undefined;
  const number = name === undefined ? toInt64(value) : parseInt64(name);
  if (number !== undefined) return number;
  // `007` and `7.0` are mistyped numbers rather than names.
  if (name === undefined || /^[-+.,\d]*\d$/.test(name))
    throw new InvalidPetError({ categoryId: 'category must be a whole number or a name.' });
  const problem = problemOfCategoryName(name);
  if (problem === undefined) return name;
  throw new InvalidPetError({ categoryId: `category ${problem}.` });
}

/** Appends the refused value to a sentence, if there is one. */
function withValue(sentence: string, value: unknown): string {
  return value === undefined ? sentence : `${sentence.replace(/\.$/, '')}, not ${quoteValue(value)}.`;
}

function quoteValue(value: unknown): string {
  if (typeof value === 'string') return quoteText(value);
  if (value instanceof JsonNumber) return shorten(value.source);
  // The exact JSON parser empties arrays and objects, so there is nothing to show.
  return typeof value === 'object' && value !== null ? 'an array or object' : String(value);
}

/** A shortened text as a JSON string, which makes control characters visible. */
export function quoteText(text: string): string {
  return JSON.stringify(shorten(text));
}

const longest = 40;

/** Never cuts between the two halves of a surrogate pair. */
function shorten(text: string): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`;
}
