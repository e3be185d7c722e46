import { createDecoder, createPetParser, type Encoding, type PetFormat } from '../../src/formats/format.ts';
import type { ParsedRecord } from '../../src/formats/record.ts';

/** Reads text or bytes that arrive in pieces of the given lengths. */
export function readPieces(
  format: PetFormat,
  input: string | Uint8Array,
  lengths: number[] = [],
  keepsIds = false,
  encoding: Encoding = 'utf-8',
): ParsedRecord[] {
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input;
  const decoder = createDecoder(encoding);
  const reader = createPetParser(format, keepsIds);
  const rows: ParsedRecord[] = [];
  let at = 0;
  for (const length of [...lengths, bytes.length]) {
    rows.push(...reader.push(decoder.push(bytes.slice(at, at + length))));
    at += length;
  }
  return [...rows, ...reader.push(decoder.end()), ...reader.end()];
}

/** What became of each record: the pet, or what is wrong with it. */
export const petsOf = (rows: ParsedRecord[]) => rows.map(({ pet, problem }) => pet ?? problem);
