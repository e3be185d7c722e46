import {
  fitsBody,
  type ImportedPet,
  InvalidPetError,
  isJsonObject,
  type JsonObject,
  largestKeptId,
  maxBodyBytes,
  parseNewPet,
  type Pet,
  renderPet,
} from '../domain/pet.ts';
import { JsonNumber, parseExactJson, toInt64 } from '../domain/int64.ts';
import { findJsonProblem } from './json-problem.ts';

/** The text of one record in a file. */
export interface TextRecord {
  /** The first line of the record, counted from 1. */
  line: number;
  text: string;
}

/** A record with its pet or its problem. */
export interface ParsedRecord extends TextRecord {
  pet: ImportedPet | undefined;
  /** Present if there is no pet. */
  problem?: string;
}

/** Reads a pet from JSON by the rules of the API. */
export function readJsonPet(record: TextRecord, keepsIds: boolean): ParsedRecord {
  const { text } = record;
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    const problem = findJsonProblem(text);
    const where = problem ? ` at column ${problem.column}: ${problem.reason}` : `: ${quoteText(text)}`;
    return refuse(record, `This is not JSON${where}.`);
  }
  if (isJsonObject(value)) return readPet(record, value, keepsIds);
  return refuse(record, 'A pet is a JSON object with the fields name and categoryId.');
}

/** Reads a pet from the fields of parsed JSON. */
export function readPet(record: TextRecord, fields: JsonObject, keepsIds: boolean): ParsedRecord {
  try {
    const pet: ImportedPet = parseNewPet(fields);
    if (!fitsBody(pet.name)) throw new InvalidPetError({ name: `name must fit into ${maxBodyBytes} bytes.` });
    if (!keepsIds) return { ...record, pet };
    const id = toInt64(fields['id']);
    if (id !== undefined && id > 0n && id <= largestKeptId) return { ...record, pet: { ...pet, id } };
    const range = `id must be an integer from 1 to ${largestKeptId} when ids are kept`;
    return refuse(record, withValue(`${range}, which leaves room for new ones.`, fields['id']));
  } catch (error) {
    if (!(error instanceof InvalidPetError)) throw error;
    const problems = Object.entries(error.problems);
    return refuse(record, problems.map(([field, problem]) => withValue(problem, fields[field])).join(' '));
  }
}

export function refuse({ line, text }: TextRecord, problem: string): ParsedRecord {
  return { line, text, pet: undefined, problem };
}

/** A pet as one line of JSON, exactly as the service sends it. */
export function petLine(pet: Pet): string {
  return renderPet(pet.id, pet);
}

const longest = 40;

/** Appends the refused value to a sentence, if there is one. */
function withValue(sentence: string, value: unknown): string {
  return value === undefined ? sentence : `${sentence.replace(/\.$/, '')}, not ${quoteValue(value)}.`;
}

/** A shortened text as a JSON string, which makes control characters visible. */
export function quoteText(text: string): string {
  return JSON.stringify(shorten(text));
}

function quoteValue(value: unknown): string {
  if (typeof value === 'string') return quoteText(value);
  if (value instanceof JsonNumber) return shorten(value.source);
  // The exact JSON parser empties arrays and objects, so there is nothing to show.
  return typeof value === 'object' && value !== null ? 'an array or object' : String(value);
}

/** Never cuts between the two halves of a surrogate pair. */
function shorten(text: string): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`;
}
