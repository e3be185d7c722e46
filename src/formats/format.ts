import type { Pet } from '../domain/pet.ts';
import { createArraySplitter } from './json-array.ts';
import { byteOrderMark, createCsvReader, csvHeader, csvPet, turnsQuoted, type OnHeader } from './csv.ts';
import { createLineSplitter } from './lines.ts';
import { petLine, readJsonPet, type ParsedRecord, type TextRecord } from './record.ts';

export const petFormats = ['ndjson', 'json', 'csv'] as const;
export type PetFormat = (typeof petFormats)[number];

const blank = /^[ \t\r]*$/;

/** Reads pets from text that arrives in arbitrary pieces. */
export function createPetParser(format: PetFormat, keepsIds: boolean, onHeader?: OnHeader) {
  const isCsv = format === 'csv';
  const splitter =
    format === 'json' ? createArraySplitter() : createLineSplitter(isCsv ? turnsQuoted : undefined);
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
  return first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv';
}

/** Renders pets as text; the joined pieces are the file. */
export interface PetWriter {
  begin: string;
  render(pets: readonly Pet[]): string;
  end(): string;
}

/** With a separator for Excel, CSV begins with a byte order mark. */
export function createPetWriter(format: PetFormat, excelSeparator?: string): PetWriter {
  if (format === 'ndjson') {
    return { begin: '', render: (pets) => pets.map((pet) => `${petLine(pet)}\n`).join(''), end: () => '' };
  }
  if (format === 'csv') {
    const separator = excelSeparator ?? ',';
    return {
      begin: (excelSeparator === undefined ? '' : byteOrderMark) + csvHeader(separator),
      render: (pets) => pets.map((pet) => csvPet(pet, separator)).join(''),
      end: () => '',
    };
  }
  let joint = '';
  return {
    begin: '[',
    render(pets) {
      let text = '';
      for (const pet of pets) {
        text += `${joint}\n${petLine(pet)}`;
        joint = ',';
      }
      return text;
    },
    end: () => (joint === '' ? ']\n' : '\n]\n'),
  };
}
