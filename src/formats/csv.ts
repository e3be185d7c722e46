import { OperatorError } from '../domain/error.ts';
import { parseInt64 } from '../domain/int64.ts';
import { fromText, type Pet, petFields } from '../domain/pet.ts';
import { quoteText, readPet, refuse, type ParsedRecord, type TextRecord } from './record.ts';

const fieldNames = petFields.map(({ name }) => name);
/** `category` may stand in place of `categoryId`. */
const columns = new Map(['id', ...fieldNames, 'category'].map((name) => [name.toLowerCase(), name]));

/** True for a line with an odd number of quotes: a quoted field begins or ends in it (RFC 4180, section 2.6). */
export function turnsQuoted(line: string): boolean {
  return (line.match(/"/g)?.length ?? 0) % 2 === 1;
}

export type OnHeader = (header: CsvHeader) => void;

/** Creates the function that reads a record; the first record is the header. */
export function createCsvReader(
  keepsIds: boolean,
  onHeader: OnHeader = () => {},
): (record: TextRecord) => ParsedRecord | undefined {
  let header: CsvHeader | undefined;
  return (record) => {
    if (header) return readRecord(record, header, keepsIds);
    if (separatorLine.test(record.text)) return undefined;
    header = readHeader(record, keepsIds);
    onHeader(header);
    return undefined;
  };
}

/** Comma, semicolon (Excel, where the comma is the decimal sign) and tab, each with the pattern of one field. */
const separators = [',', ';', '\t'].map((character) => ({
  character,
  field: new RegExp(`(?:"((?:[^"]|"")*)"|([^"${character}]*))(${character}|$)`, 'y'),
}));
type Separator = (typeof separators)[number];

/** Tells Excel the separator; we detect it from the header. */
const separatorLine = /^"?sep=[,;\t]"?$/i;

export interface CsvHeader {
  separator: Separator;
  /** Undefined for an unknown column. */
  names: (string | undefined)[];
  /** The columns that are not imported, as the file names them. */
  leftOut: string[];
}

/** Detects the separator by finding the required columns. Unknown columns are ignored, like unknown JSON fields. */
function readHeader({ line, text }: TextRecord, keepsIds: boolean): CsvHeader {
  const required = petFields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
  const needed = keepsIds ? ['id', ...required] : required;
  const attempts = separators.map((separator) => {
    const titles = splitFields(text, separator)?.map((title) => title.trim()) ?? [];
    const names = titles.map((title) => columns.get(title.toLowerCase()));
    const wrong = [...columns.values()].filter((column) => {
      const count = names.filter((name) => name === column).length;
      const isReplaced = column === 'categoryId' && names.includes('category');
      return count > 1 || (count === 0 && needed.includes(column) && !isReplaced);
    });
    const isLeftOut = (name: string | undefined): boolean => !name || (name === 'id' && !keepsIds);
    const leftOut = titles.filter((title, index) => title !== '' && isLeftOut(names[index]));
    return { separator, names, leftOut, wrong };
  });
  const fewest = Math.min(...attempts.map(({ wrong }) => wrong.length));
  const best = attempts.find(({ wrong }) => wrong.length === fewest);
  if (best && fewest === 0) return best;
  throw new OperatorError(
    `Line ${line}: the CSV header must have each of these columns once: ${best?.wrong.join(', ')}. It is ${quoteText(text)}. Nothing was written.`,
    `A column may be named ${[...(keepsIds ? ['id'] : []), ...fieldNames, 'category'].join(', ')}, in any order and case; others are left out. ` +
      'Write such a header above the first pet, with commas, semicolons or tabs, or choose another --format.',
  );
}

function readRecord(record: TextRecord, { names, separator }: CsvHeader, keepsIds: boolean): ParsedRecord {
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
    const given = cells[names.indexOf(field.name)] ?? '';
    // People type ` Sold`, and spreadsheets pad numbers.
    const trimmed = field.name === 'name' ? given : given.trim();
    const cell = field.name === 'status' ? trimmed.toLowerCase() : trimmed;
    if (cell !== '' || !field.isOptional) fields[field.name] = fromText(field, cell);
  }
  const category = cells[names.indexOf('category')]?.trim() ?? '';
  if (category !== '') fields['category'] = category;
  // A row that was added by hand may have only the name.
  if (category !== '' && fields['categoryId'] === '') delete fields['categoryId'];
  const id = cells[names.indexOf('id')]?.trim() ?? '';
  return readPet(record, { ...fields, id: parseInt64(id) ?? id }, keepsIds);
}

/** The fields of a record; undefined if a quote is misplaced. */
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

/** Tells spreadsheets that the text is UTF-8. */
export const byteOrderMark = '\ufeff';

/** How Excel wants CSV, and the names of categories for the people who read it. */
export interface ExcelOptions {
  separator: string;
  categoryNames: ReadonlyMap<bigint, string>;
}

export function csvHeader(excel: ExcelOptions | undefined): string {
  return csvLine(['id', ...fieldNames, ...(excel ? ['category'] : [])], excel?.separator);
}

export function csvPet(pet: Pet, excel: ExcelOptions | undefined): string {
  const texts = fieldNames.map((name) => pet[name]?.toString() ?? '');
  if (excel) texts.push(excel.categoryNames.get(pet.categoryId) ?? '');
  return csvLine([pet.id, ...texts.map(csvCell)], excel?.separator);
}

function csvLine(cells: unknown[], separator = ','): string {
  return `${cells.join(separator)}\r\n`;
}

/** Quotes a text if any separator makes that necessary. */
function csvCell(text: string): string {
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
