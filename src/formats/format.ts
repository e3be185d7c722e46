import type { Pet } from '../pet.ts';
import { createArraySplitter } from './json-array.ts';
import { createCsvReader, csvField, turnsQuoted } from './csv.ts';
import { createLineSplitter, type Splitter } from './lines.ts';
import { petLine } from './render.ts';
import { readJsonPet, type PetRow, type TextRecord } from './record.ts';

/** How a file can hold pets. */
export const petFormats = ['ndjson', 'json', 'csv'] as const;
export type PetFormat = (typeof petFormats)[number];

const blank = /^[ \t\r]*$/;

/** Reads pets from a text that arrives in pieces, cut anywhere. */
export interface PetReader {
  push(text: string): PetRow[];
  end(): PetRow[];
}

export function createPetReader(format: PetFormat, keepsIds: boolean): PetReader {
  const readCsv = createCsvReader(keepsIds);
  const read = format === 'csv' ? readCsv : (record: TextRecord) => readJsonPet(record, keepsIds);
  const splitter = splitterOf(format);
  const rowsOf = (records: TextRecord[]): PetRow[] => {
    const rows: PetRow[] = [];
    for (const record of records) {
      const row = blank.test(record.text) ? undefined : read(record);
      if (row) rows.push(row);
    }
    return rows;
  };
  return { push: (text) => rowsOf(splitter.push(text)), end: () => rowsOf(splitter.end()) };
}

function splitterOf(format: PetFormat): Splitter {
  switch (format) {
    case 'ndjson':
      return createLineSplitter(() => false);
    case 'json':
      return createArraySplitter();
    case 'csv':
      return createLineSplitter(turnsQuoted);
  }
}

/** Tells the format from the first character that is no space: an object, an array, or the header of a table. */
export function sniffFormat(beginning: string): PetFormat {
  const [first] = beginning.trimStart();
  return first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv';
}

/** Writes pets as text; the pieces put together are the file. */
export interface PetWriter {
  begin: string;
  render(pets: readonly Pet[]): string;
  end(): string;
}

export function createPetWriter(format: PetFormat): PetWriter {
  let isFirst = true;
  switch (format) {
    case 'ndjson':
      return { begin: '', render: (pets) => pets.map((pet) => `${petLine(pet)}\n`).join(''), end: () => '' };
    case 'json':
      return {
        begin: '[',
        render(pets) {
          const text = pets.map((pet) => `\n${petLine(pet)}`).join(',');
          const joint = isFirst || text === '' ? '' : ',';
          isFirst &&= text === '';
          return joint + text;
        },
        end: () => (isFirst ? ']\n' : '\n]\n'),
      };
    case 'csv':
      return {
        begin: 'id,name,categoryId,status\r\n',
        render: (pets) =>
          pets
            .map(
              ({ id, name, categoryId, status = '' }) =>
                `${id},${csvField(name)},${categoryId},${status}\r\n`,
            )
            .join(''),
        end: () => '',
      };
  }
}
