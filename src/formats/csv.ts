import { OperatorError } from '../domain/error.ts';
import { parseInt64 } from '../domain/int64.ts';
import { fromText, petFields, type Pet } from '../domain/pet.ts';
import { quoteText, readPet, refuse, type ParsedRecord, type TextRecord } from './record.ts';

const fieldNames = petFields.map(({ name }) => name);
const columns = new Map(['id', ...fieldNames].map((name) => [name.toLowerCase(), name]));

/** True for a line with an odd number of quotes: a quoted field begins or ends there (RFC 4180, section 2.6). */
export function turnsQuoted(line: string): boolean {
  return (line.match(/"/g)?.length ?? 0) % 2 === 1;
}

/** Creates the function that reads a record; the first record is the header. */
export function createCsvReader(keepsIds: boolean): (record: TextRecord) => ParsedRecord | undefined {
  let header: Header | undefined;
  return (record) => {
    if (header) return readRecord(record, header, keepsIds);
    if (!separatorLine.test(record.text)) header = readHeader(record, keepsIds);
    return undefined;
  };
}

/** Comma, semicolon (Excel, where the comma is the decimal sign) and tab, each with its pattern of one field. */
const separators = [',', ';', '\t'].map((character) => ({
  character,
  field: new RegExp(`(?:"((?:[^"]|"")*)"|([^"${character}]*))(${character}|$)`, 'y'),
}));
type Separator = (typeof separators)[number];

/** Tells Excel the separator; we take it from the header. */
const separatorLine = /^"?sep=[,;\t]"?$/i;

interface Header {
  separator: Separator;
  /** Undefined for a column that is unknown. */
  names: (string | undefined)[];
}

/** The separator is the one that finds the columns. Unknown columns are ignored, like unknown fields in JSON. */
function readHeader({ line, text }: TextRecord, keepsIds: boolean): Header {
  const required = petFields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
  const needed = keepsIds ? ['id', ...required] : required;
  const attempts = separators.map((separator) => {
    const names = splitFields(text, separator)?.map((name) => columns.get(name.trim().toLowerCase())) ?? [];
    const missing = needed.filter((column) => names.filter((name) => name === column).length !== 1);
    return { separator, names, missing };
  });
  const fewest = Math.min(...attempts.map(({ missing }) => missing.length));
  const best = attempts.find(({ missing }) => missing.length === fewest);
  if (best && fewest === 0) return best;
  throw new OperatorError(
    `Line ${line}: the CSV header must have each of these columns once: ${best?.missing.join(', ')}. It is ${quoteText(text)}. Nothing was written.`,
    `Write ${fieldNames.join(',')} above the first pet, with commas, semicolons or tabs, or choose another --format.`,
  );
}

function readRecord(record: TextRecord, { names, separator }: Header, keepsIds: boolean): ParsedRecord {
  const { text } = record;
  const cells = splitFields(text, separator);
  if (!cells) {
    const problem = 'A field with quotes must be quoted whole, with each quote doubled';
    return refuse(record, `${problem}: ${quoteText(text)}.`);
  }
  if (cells.length !== names.length) {
    const count = `${cells.length} field${cells.length === 1 ? '' : 's'}`;
    return refuse(record, `This row has ${count}, but the header has ${names.length}: ${quoteText(text)}.`);
  }
  const fields: Record<string, unknown> = {};
  for (const field of petFields) {
    const cell = cells[names.indexOf(field.name)] ?? '';
    if (cell !== '' || !field.isOptional) fields[field.name] = fromText(field, cell);
  }
  const id = cells[names.indexOf('id')] ?? '';
  return readPet(record, { ...fields, id: parseInt64(id) ?? id }, keepsIds);
}

/** The fields of a record, or undefined when a quote is out of place. */
function splitFields(text: string, { character, field }: Separator): string[] | undefined {
  if (!text.includes('"')) return text.split(character);
  const fields: string[] = [];
  field.lastIndex = 0;
  for (;;) {
    const [, quoted, plain = '', end] = field.exec(text) ?? [];
    if (end === undefined) return undefined;
    fields.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '') return fields;
  }
}

export const csvHeader = `id,${fieldNames.join(',')}\r\n`;

export function csvLine(pet: Pet): string {
  const cells = fieldNames.map((name) => csvCell(pet[name]?.toString() ?? ''));
  return `${pet.id},${cells.join(',')}\r\n`;
}

/** A text, quoted where necessary. */
function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
