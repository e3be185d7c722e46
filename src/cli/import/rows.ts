import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { problemOfCategoryName } from '../../domain/category.ts';
import { OperatorError } from '../../domain/error.ts';
import { parseExactJson, parseInt64, toInt64 } from '../../domain/int64.ts';
import {
  fromText,
  InvalidPetError,
  isJsonObject,
  type JsonObject,
  type NewPet,
  parseNewPet,
  petFields,
} from '../../domain/pet.ts';
import { findJsonProblem } from '../../http/json-problem.ts';

/** A pet of a file. Its category is a number, or a name whose number is not known yet. */
export interface FilePet extends Omit<NewPet, 'categoryId'> {
  category: bigint | string;
}

/** A row of a file: a pet, or what is wrong with it. */
export interface Row {
  /** The first line of the row, counted from 1. */
  line: number;
  pet?: FilePet;
  problem?: string;
}

export interface RowListener {
  onBytes: (bytes: Uint8Array) => void;
  /** Called once, with the titles of the columns that are not imported. */
  onLeftOut?: (titles: string[]) => void;
}

/** Reads the pets of a file: JSON objects, one per line, or CSV. */
export async function* readRows(path: string, listener: RowListener): AsyncGenerator<Row> {
  const texts = readTexts(path, listener);
  const { value: beginning = '' } = (await texts.next()) as { value?: string };
  async function* all(): AsyncGenerator<string> {
    yield beginning;
    yield* texts;
  }
  const [first] = beginning.trimStart();
  if (first === '[')
    throw new OperatorError(
      `${path} looks like a JSON array. Nothing was sent.`,
      "Import NDJSON instead, one pet per line: jq -c '.[]' turns an array into it.",
    );
  if (first === '{') yield* readNdjson(all());
  else yield* readCsv(all(), delimiterOf(beginning), listener);
}

async function* readTexts(path: string, { onBytes }: RowListener): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 512 * 1024 })) {
      onBytes(bytes as Uint8Array);
      yield decoder.decode(bytes as Uint8Array, { stream: true });
    }
    decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new OperatorError(
      `${path} is not UTF-8 text. Nothing was sent.`,
      'Save a spreadsheet as "CSV UTF-8", and import that file.',
    );
  }
}

/** A longer row cannot be a pet: the API accepts 16 KiB. */
const maxRowLength = 1024 * 1024;

async function* readNdjson(texts: AsyncIterable<string>): AsyncGenerator<Row> {
  let line = 1;
  let rest = '';
  const read = (text: string): Row[] => (text.trim() === '' ? [] : [{ line, ...readJsonPet(text) }]);
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const complete of lines) {
      yield* read(complete);
      line += 1;
    }
    if (rest.length > maxRowLength)
      throw new OperatorError(`Line ${line} is longer than 1 MiB, so it cannot be a pet.`, 'Check the file.');
  }
  yield* read(rest);
}

/** Reads a pet from JSON by the rules of the API. */
function readJsonPet(text: string): Omit<Row, 'line'> {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    const problem = findJsonProblem(text);
    return {
      problem: `This is not JSON${problem ? ` at column ${problem.column}: ${problem.reason}` : ''}.`,
    };
  }
  if (isJsonObject(value)) return readPet(value);
  return { problem: 'A pet is a JSON object with the fields name and categoryId.' };
}

/** Semicolons are what Excel writes where the comma is the decimal sign. */
const delimiters = [',', ';', '\t'];

/** The delimiter that is most frequent in the header. */
function delimiterOf(beginning: string): string {
  const [header = ''] = beginning.trimStart().split(/[\r\n]/, 1);
  const [most = ','] = delimiters.toSorted(
    (one, other) => header.split(other).length - header.split(one).length,
  );
  return most;
}

async function* readCsv(
  texts: AsyncIterable<string>,
  delimiter: string,
  { onLeftOut }: RowListener,
): AsyncGenerator<Row> {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    columns: (titles: string[]) => readHeader(titles, onLeftOut),
    relax_column_count: true,
    max_record_size: maxRowLength,
    info: true,
    raw: true,
  });
  // The parser counts CRLF in a quoted field as two.
  let line = 2;
  try {
    // If reading fails, the parser ends, too.
    const rows = pipeline(texts, parser, () => {}) as AsyncIterable<CsvRow>;
    for await (const { record, info, raw } of rows) {
      const isBlank = Object.values(record).every((cell) => cell.trim() === '');
      if (!isBlank) yield { line, ...readRecord(record, info.error) };
      line += raw.match(/\r\n?|\n/g)?.length ?? 0;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new OperatorError(
      `The CSV cannot be read at line ${line} (${error.code}). Nothing was sent.`,
      'Put a field with quotes in quotes as a whole, and double each quote in it.',
    );
  }
}

interface CsvRow {
  record: Record<string, string>;
  /** `error` is there if the row has more or fewer fields than the header. */
  info: { error?: unknown };
  raw: string;
}

/** `category` may stand in place of `categoryId`. */
const columns: readonly string[] = [...petFields.map(({ name }) => name), 'category'];

/** Names the columns. Unknown ones are left out, like unknown JSON fields. */
function readHeader(titles: string[], onLeftOut: RowListener['onLeftOut']): (string | null)[] {
  const names = titles.map(
    (title) => columns.find((name) => name.toLowerCase() === title.trim().toLowerCase()) ?? null,
  );
  const isTwice = names.some((name, index) => name !== null && names.indexOf(name) !== index);
  if (isTwice || !names.includes('name') || !(names.includes('categoryId') || names.includes('category')))
    throw new OperatorError(
      'The first line of a CSV file must name the columns name and categoryId or category, each once. Nothing was sent.',
      `A column may be named ${columns.join(', ')}, in any order and case; others are left out.`,
    );
  const leftOut = titles.filter((title, index) => title !== '' && names[index] === null);
  if (leftOut.length > 0) onLeftOut?.(leftOut);
  return names;
}

function readRecord(cells: Record<string, string>, error: unknown): Omit<Row, 'line'> {
  if (error !== undefined) return { problem: 'This row has more or fewer fields than the header.' };
  const fields: Record<string, unknown> = {};
  for (const field of petFields) {
    const text = cells[field.name] ?? '';
    // People type ` Sold`, and spreadsheets pad numbers.
    const cell = field.name === 'name' ? text : text.trim().toLowerCase();
    if (cell !== '' || !field.isOptional) fields[field.name] = fromText(field, cell);
  }
  const category = cells['category']?.trim() ?? '';
  if (category !== '') fields['category'] = category;
  // A row that was added by hand may have only the name.
  if (category !== '' && fields['categoryId'] === '') delete fields['categoryId'];
  return readPet(fields);
}

function readPet(fields: JsonObject): Omit<Row, 'line'> {
  try {
    const category = fields['categoryId'] === undefined ? parseCategory(fields['category']) : undefined;
    // Any number will do to check the other fields.
    const number = typeof category === 'string' ? 0n : category;
    const { categoryId, ...pet } = parseNewPet(
      number === undefined ? fields : { ...fields, categoryId: number },
    );
    return { pet: { ...pet, category: category ?? categoryId } };
  } catch (error) {
    if (!(error instanceof InvalidPetError)) throw error;
    return { problem: error.message };
  }
}

/** `category` may be a number or a name. */
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
