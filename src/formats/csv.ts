import { OperatorError } from '../domain/error.ts';
import type { ImportedPet } from '../domain/import-store.ts';
import { JsonNumber, parseInt64 } from '../domain/int64.ts';
import { isPetStatus } from '../domain/pet.ts';
import { quoteText } from './quote.ts';
import { readPet, refuse, refuseInvalidUtf8, type ParsedRecord, type TextRecord } from './record.ts';

/** True for a line with an odd number of quotes: a quoted field begins or ends there (RFC 4180, section 2.6). */
export function turnsQuoted(line: string): boolean {
  let isOdd = false;
  for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}

/** Creates the function that reads a record; the first record is the header. */
export function createCsvReader(keepsIds: boolean): (record: TextRecord) => ParsedRecord | undefined {
  let header: Header | undefined;
  return (record) => {
    if (header) return readRecord(record, header, keepsIds);
    header = readHeader(record, keepsIds);
    return undefined;
  };
}

/** Where the columns are; -1 for one that is absent. Other columns are ignored, like unknown fields in JSON. */
type Header = Record<'id' | 'name' | 'categoryId' | 'status' | 'length', number>;

function readHeader({ line, text }: TextRecord, keepsIds: boolean): Header {
  const names = splitFields(text)?.map((name) => name.trim()) ?? [];
  const needed = keepsIds ? ['id', 'name', 'categoryId'] : ['name', 'categoryId'];
  const missing = needed.filter((column) => names.filter((name) => name === column).length !== 1);
  if (missing.length > 0) {
    throw new OperatorError(
      `Line ${line}: the CSV header must have each of these columns once: ${missing.join(', ')}. It is ${quoteText(text)}. Nothing was written.`,
      'Write name,categoryId,status above the first pet, with commas, or choose another --format.',
    );
  }
  return {
    id: names.indexOf('id'),
    name: names.indexOf('name'),
    categoryId: names.indexOf('categoryId'),
    status: names.indexOf('status'),
    length: names.length,
  };
}

function readRecord(record: TextRecord, header: Header, keepsIds: boolean): ParsedRecord {
  const { text } = record;
  if (!text.isWellFormed()) return refuseInvalidUtf8(record);
  const fields = splitFields(text);
  if (!fields) {
    const problem = 'A field with quotes must be quoted whole, with each quote doubled';
    return refuse(record, `${problem}: ${quoteText(text)}.`);
  }
  if (fields.length !== header.length) {
    const count = `${fields.length} field${fields.length === 1 ? '' : 's'}`;
    return refuse(record, `This row has ${count}, but the header has ${header.length}: ${quoteText(text)}.`);
  }
  const name = fields[header.name] ?? '';
  const category = fields[header.categoryId] ?? '';
  const status = fields[header.status] ?? '';
  const categoryId = parseInt64(category);
  const isGood = categoryId !== undefined && !name.includes('\0') && (status === '' || isPetStatus(status));
  if (isGood && !keepsIds) {
    const pet: ImportedPet = { name, categoryId };
    if (status !== '') pet.status = status;
    return { ...record, pet };
  }
  const idText = fields[header.id];
  const id = parseInt64(idText ?? '');
  return readPet(
    record,
    {
      name,
      categoryId: categoryId === undefined ? category : new JsonNumber(category),
      ...(status !== '' && { status }),
      id: id === undefined ? idText : new JsonNumber(String(id)),
    },
    keepsIds,
  );
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

/** A field, quoted where necessary. */
export function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
