import { problemOfCategoryName } from '../domain/category.ts';
import { OperatorError } from '../domain/error.ts';
import { JsonNumber, parseInt64, toInt64 } from '../domain/int64.ts';
import {
  fitsBody,
  type ImportedPet,
  InvalidPetError,
  type JsonObject,
  largestKeptId,
  maxBodyBytes,
  parseNewPet,
} from '../domain/pet.ts';

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

/** A longer record cannot be a pet: the API accepts 64 KiB. */
const maxRecordLength = 1024 * 1024;

/**
 * Splits text that arrives in pieces into records. A line for which `turns` is true starts or ends a record of several
 * lines.
 */
export function createLineSplitter(turns = (_text: string) => false) {
  let rest = '';
  /** The length of the complete lines in `rest`, whose record continues. */
  let seen = 0;
  let line = 1;
  let lineCount = 0;
  let isOpen = false;

  const recordOf = (lines: string): TextRecord[] => {
    const text = lines.endsWith('\r') ? lines.slice(0, -1) : lines;
    return text === '' ? [] : [{ line, text }];
  };

  return {
    push(text: string): TextRecord[] {
      const records: TextRecord[] = [];
      const all = rest + text;
      let start = 0;
      let lineStart = seen;
      for (let end = all.indexOf('\n', seen); end !== -1; end = all.indexOf('\n', lineStart)) {
        if (turns(all.slice(lineStart, end))) isOpen = !isOpen;
        lineStart = end + 1;
        lineCount += 1;
        if (isOpen) continue;
        records.push(...recordOf(all.slice(start, end)));
        start = lineStart;
        line += lineCount;
        lineCount = 0;
      }
      rest = all.slice(start);
      seen = lineStart - start;
      refuseTooLong(rest.length, line);
      return records;
    },
    /** Returns the last record, if it has no line end. */
    end: (): TextRecord[] => recordOf(rest),
  };
}

function refuseTooLong(length: number, line: number): void {
  if (length <= maxRecordLength) return;
  throw new OperatorError(
    `The record at line ${line} is longer than 1 MiB, so it cannot be a pet. Nothing was written.`,
    'Check the file, or choose another --format.',
  );
}

/** Reads a pet from the fields of parsed JSON. */
export function readPet(record: TextRecord, fields: JsonObject, keepsIds: boolean): ParsedRecord {
  try {
    const pet = parseImported(fields);
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

/** `category` may stand in place of `categoryId`: a number or a name. */
function parseImported(fields: JsonObject): ImportedPet {
  const { categoryId, category } = fields;
  if (categoryId !== undefined || category === undefined) return parseNewPet(fields);
  const name = typeof category === 'string' ? category.trim() : undefined;
  const number = name === undefined ? toInt64(category) : parseInt64(name);
  if (number !== undefined) return parseNewPet({ ...fields, categoryId: number });
  // `007` and `7.0` are mistyped numbers rather than names.
  if (name === undefined || /^[-+.,\d]*\d$/.test(name))
    throw new InvalidPetError({ categoryId: 'category must be a whole number or a name.' });
  const problem = problemOfCategoryName(name);
  if (problem !== undefined) throw new InvalidPetError({ categoryId: `category ${problem}.` });
  // Any number will do to check the other fields: the store finds the one with this name.
  const { categoryId: _, ...pet } = parseNewPet({ ...fields, categoryId: 0n });
  return { ...pet, categoryName: name };
}

export function refuse({ line, text }: TextRecord, problem: string): ParsedRecord {
  return { line, text, pet: undefined, problem };
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
