import { createHash, type Hash } from 'node:crypto';
import { createPetParser, sniffFormat, type PetFormat } from '../../formats/format.ts';
import { refuse, type ParsedRecord } from '../../formats/record.ts';
import { createUtf8Decoder } from '../../formats/utf8.ts';
import type { Interruption } from '../terminal/interruption.ts';
import { showProgress } from '../terminal/progress.ts';
import type { Input } from './input.ts';
import type { Rejects } from './rejects.ts';

/** What is imported, and how it is read. */
export interface PetSource {
  input: Input;
  format: PetFormat;
  keepsIds: boolean;
}

export interface CheckedInput {
  /** Identifies the import: the same bytes, read the same way, are the same import. */
  contentHash: string;
  goodCount: number;
  badCount: number;
}

/** How many bad rows are shown; the others are counted. */
const maxReported = 20;

/** Reads the whole input and writes nothing but rejects. Returns undefined when interrupted. */
export async function checkPets(
  source: PetSource,
  rejects: Rejects | undefined,
  interruption: Interruption,
): Promise<CheckedInput | undefined> {
  const content = createContentHash(source);
  using progress = showProgress('checked', source.input.sizeBytes, { format: megabytes });
  let goodCount = 0;
  let badCount = 0;
  for await (const records of readRecords(source, (chunk) => {
    content.update(chunk);
    progress.add(chunk.length);
  })) {
    if (interruption.exitStatus !== undefined) return undefined;
    for (const record of records) {
      if (record.pet) {
        goodCount += 1;
        continue;
      }
      badCount += 1;
      rejects?.write(record);
      if (badCount <= maxReported) progress.say(`line ${record.line}: ${record.problem}`);
    }
  }
  if (badCount > maxReported) progress.say(`… and ${(badCount - maxReported).toLocaleString('en')} more.`);
  return { contentHash: content.digest('hex'), goodCount, badCount };
}

export function createContentHash({ format, keepsIds }: PetSource): Hash {
  return createHash('sha256').update(`${format} ${keepsIds ? 'ids' : 'no ids'}\n`);
}

/** The records of the input, one batch per chunk of bytes; the same each time it is read. */
export async function* readRecords(
  { input, format, keepsIds }: PetSource,
  onChunk: (chunk: Uint8Array) => void,
): AsyncGenerator<ParsedRecord[]> {
  const decoder = createUtf8Decoder();
  const parser = createPetParser(format, keepsIds);
  const inOrder = keepsIds ? createOrderCheck() : (records: ParsedRecord[]) => records;
  for await (const chunk of input.chunks()) {
    onChunk(chunk);
    yield inOrder(parser.push(decoder.push(chunk)));
  }
  yield inOrder([...parser.push(decoder.end()), ...parser.end()]);
}

/** Ascending ids are distinct, which needs no memory of them. */
function createOrderCheck(): (records: ParsedRecord[]) => ParsedRecord[] {
  let last = 0n;
  return (records) =>
    records.map((record) => {
      if (record.pet?.id === undefined) return record;
      const { id } = record.pet;
      if (id <= last) return refuse(record, `id must be larger than ${last}, the id before it, not ${id}.`);
      last = id;
      return record;
    });
}

export async function sniff(input: Input): Promise<PetFormat> {
  const decoder = createUtf8Decoder();
  for await (const chunk of input.chunks()) {
    const text = decoder.push(chunk);
    if (text.trim() !== '') return sniffFormat(text);
  }
  return 'ndjson';
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}
