import { OperatorError } from '../domain/error.ts';
import { parseInt64 } from '../domain/int64.ts';
import { fromText, petFields, type Pet } from '../domain/pet.ts';
import {
  quoteText,
  readPet,
  refuse,
  refuseInvalidUtf8,
  type ParsedRecord,
  type TextRecord,
} from './record.ts';

const fieldNames = petFields.map(({ name }) => name);

/** True for a line with an odd number of quotes: a quoted field begins or ends there (RFC 4180, section 2.6). */
export function turnsQuoted(line: string): boolean {
  return (line.match(/"/g)?.length ?? 0) % 2 === 1;
}

/** Creates the function that reads a record; the first record is the header. */
export function createCsvReader(keepsIds: boolean): (record: TextRecord) => ParsedRecord | undefined {
  let header: string[] | undefined;
  return (record) => {
    if (header) return readRecord(record, header, keepsIds);
    header = readHeader(record, keepsIds);
    return undefined;
  };
}

/** The names of the columns. Unknown ones are ignored, like unknown fields in JSON. */
function readHeader({ line, text }: TextRecord, keepsIds: boolean): string[] {
  const names = splitFields(text)?.map((name) => name.trim()) ?? [];
  const required = petFields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
  const needed = keepsIds ? ['id', ...required] : required;
  const missing = needed.filter((column) => names.filter((name) => name === column).length !== 1);
  if (missing.length > 0) {
    throw new OperatorError(
      `Line ${line}: the CSV header must have each of these columns once: ${missing.join(', ')}. It is ${quoteText(text)}. Nothing was written.`,
      `Write ${fieldNames.join(',')} above the first pet, with commas, or choose another --format.`,
    );
  }
  return names;
}

function readRecord(record: TextRecord, header: string[], keepsIds: boolean): ParsedRecord {
  const { text } = record;
  if (!text.isWellFormed()) return refuseInvalidUtf8(record);
  const cells = splitFields(text);
  if (!cells) {
    const problem = 'A field with quotes must be quoted whole, with each quote doubled';
    return refuse(record, `${problem}: ${quoteText(text)}.`);
  }
  if (cells.length !== header.length) {
    const count = `${cells.length} field${cells.length === 1 ? '' : 's'}`;
    return refuse(record, `This row has ${count}, but the header has ${header.length}: ${quoteText(text)}.`);
  }
  const fields: Record<string, unknown> = {};
  for (const field of petFields) {
    const cell = cells[header.indexOf(field.name)] ?? '';
    if (cell !== '' || !field.isOptional) fields[field.name] = fromText(field, cell);
  }
  const id = cells[header.indexOf('id')] ?? '';
  return readPet(record, { ...fields, id: parseInt64(id) ?? id }, keepsIds);
}

const fieldPattern = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;

/** The fields of a record, or undefined when a quote is out of place. */
function splitFields(text: string): string[] | undefined {
  if (!text.includes('"')) return text.split(',');
  const fields: string[] = [];
  fieldPattern.lastIndex = 0;
  for (;;) {
    const [, quoted, plain = '', end] = fieldPattern.exec(text) ?? [];
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
