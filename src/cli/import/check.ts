import { createHash, type Hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { usageError } from '../../domain/error.ts';
import { createPetParser, sniffFormat, type PetFormat } from '../../formats/format.ts';
import { refuse, type ParsedRecord } from '../../formats/record.ts';
import { createUtf8Decoder } from '../../formats/utf8.ts';
import { openOutputFile } from '../output-file.ts';
import type { Interruption } from '../terminal/interruption.ts';
import { showProgress } from '../terminal/progress.ts';
import type { Input } from './input.ts';

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

/** Reads the whole input, and writes and closes nothing but rejects. Returns undefined when interrupted. */
export async function checkPets(
  source: PetSource,
  rejects: Rejects | undefined,
  interruption: Interruption,
): Promise<CheckedInput | undefined> {
  const content = createContentHash(source);
  using progress = showProgress('checked', source.input.sizeBytes, { format: megabytes });
  let goodCount = 0;
  let badCount = 0;
  const onChunk = (chunk: Uint8Array): void => {
    content.update(chunk);
    progress.add(chunk.length);
  };
  try {
    for await (const records of readRecords(source, onChunk)) {
      if (interruption.exitStatus !== undefined) return undefined;
      const bad = records.filter(({ pet }) => !pet);
      for (const [index, record] of bad.entries()) {
        rejects?.write(record);
        if (badCount + index < maxReported) progress.say(`line ${record.line}: ${record.problem}`);
      }
      badCount += bad.length;
      goodCount += records.length - bad.length;
    }
  } finally {
    rejects?.close();
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

/** Collects bad rows: one JSON object per line with the row's line, problem and text. */
export interface Rejects {
  write(record: ParsedRecord): void;
  close(): void;
}

const bufferLength = 64 * 1024;

export function openRejects(path: string, inputPath: string): Rejects {
  if (isSameFile(path, inputPath)) {
    throw usageError('--rejects names the file that is imported.', 'Name another file.');
  }
  const file = openOutputFile(path, 'w', `${path} of --rejects`);
  let buffered = '';
  const flush = (): void => {
    file.write(buffered);
    buffered = '';
  };
  return {
    write({ line, problem, text }) {
      buffered += `${JSON.stringify({ line, problem, text: text.toWellFormed() })}\n`;
      if (buffered.length > bufferLength) flush();
    },
    close() {
      try {
        flush();
      } finally {
        file.close();
      }
    },
  };
}

function isSameFile(one: string, other: string): boolean {
  const [left, right] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return left !== undefined && right !== undefined && left.dev === right.dev && left.ino === right.ino;
}
