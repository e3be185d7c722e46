import { OperatorError } from '../domain/error.ts';
import { type Pet, renderPet } from '../domain/pet.ts';
import {
  byteOrderMark,
  createCsvReader,
  csvHeader,
  csvPet,
  type ExcelOptions,
  type OnHeader,
  turnsQuoted,
} from './csv.ts';
import { readJsonPet } from './json.ts';
import { createLineSplitter, type ParsedRecord, type TextRecord } from './record.ts';

export const petFormats = ['ndjson', 'csv'] as const;
export type PetFormat = (typeof petFormats)[number];

const blank = /^[ \t\r]*$/;

/** Reads pets from text that arrives in arbitrary pieces. */
export function createPetParser(format: PetFormat, keepsIds: boolean, onHeader?: OnHeader) {
  const isCsv = format === 'csv';
  const splitter = createLineSplitter(isCsv ? turnsQuoted : undefined);
  const read = isCsv
    ? createCsvReader(keepsIds, onHeader)
    : (record: TextRecord) => readJsonPet(record, keepsIds);
  const parse = (records: TextRecord[]): ParsedRecord[] => {
    const parsed: ParsedRecord[] = [];
    for (const record of records) {
      const result = blank.test(record.text) ? undefined : read(record);
      if (result) parsed.push(result);
    }
    return parsed;
  };
  return { push: (text: string) => parse(splitter.push(text)), end: () => parse(splitter.end()) };
}

/** Detects the format by the first character that is not white space. */
export function sniffFormat(beginning: string): PetFormat {
  const [first] = beginning.trimStart();
  if (first === '[') {
    throw new OperatorError(
      'This looks like a JSON array. Nothing was written.',
      "Import NDJSON instead, one pet per line: jq -c '.[]' turns an array into it.",
    );
  }
  return first === '{' ? 'ndjson' : 'csv';
}

/** Renders pets as text; the joined pieces after `begin` are the file. */
export interface PetWriter {
  begin: string;
  render(pets: readonly Pet[]): string;
}

/** For Excel, CSV begins with a byte order mark. */
export function createPetWriter(format: PetFormat, excel?: ExcelOptions): PetWriter {
  if (format === 'ndjson') {
    return { begin: '', render: (pets) => pets.map((pet) => `${renderPet(pet.id, pet)}\n`).join('') };
  }
  return {
    begin: (excel ? byteOrderMark : '') + csvHeader(excel),
    render: (pets) => pets.map((pet) => csvPet(pet, excel)).join(''),
  };
}

/** The encodings of a file without a byte order mark. */
export const encodings = ['utf-8', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];

/** Decodes bytes that arrive in arbitrary pieces. The first piece must be long enough to contain a byte order mark. */
export function createDecoder(encoding: Encoding) {
  let decoder: TextDecoder | undefined;
  const decode = (bytes: Uint8Array, stream: boolean): string => {
    decoder ??= new TextDecoder(encodingOf(bytes, encoding), { fatal: true });
    try {
      return decoder.decode(bytes, { stream });
    } catch {
      throw new OperatorError(
        `The file is not valid ${decoder.encoding.toUpperCase()}. Nothing was written.`,
        'Save it as UTF-8. If an older Excel saved it, add --encoding windows-1252.',
      );
    }
  };
  return {
    push: (bytes: Uint8Array) => decode(bytes, true),
    end: () => decode(new Uint8Array(), false),
  };
}

/** The first bytes of ZIP, used by .xlsx and .ods, and of the container of .xls. */
const spreadsheetMarks = ['504b0304', 'd0cf11e0'];

/** A byte order mark overrides `encoding`. */
function encodingOf(beginning: Uint8Array, encoding: Encoding): Encoding | 'utf-16le' | 'utf-16be' {
  const mark = Buffer.from(beginning.subarray(0, 4)).toString('hex');
  if (spreadsheetMarks.includes(mark)) {
    throw new OperatorError(
      'This is a spreadsheet (.xlsx, .xls or .ods) or an archive, not text. Nothing was written.',
      'Open it in Excel or LibreOffice, save it with "Save As" as "CSV UTF-8", and import the new file.',
    );
  }
  if (mark.startsWith('fffe')) return 'utf-16le';
  if (mark.startsWith('feff')) return 'utf-16be';
  return mark.startsWith('efbbbf') ? 'utf-8' : encoding;
}
