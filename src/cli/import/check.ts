import { createHash, type Hash } from 'node:crypto';
import { usageError } from '../../domain/error.ts';
import { createDecoder, type Encoding } from '../../formats/encoding.ts';
import { createPetParser, sniffFormat, type PetFormat } from '../../formats/format.ts';
import { refuse, type ParsedRecord } from '../../formats/record.ts';
import { isSameFile } from '../../sqlite/opening/store-file.ts';
import { openOutputFile, type OutputFile } from '../../system/files.ts';
import { interruption } from '../terminal/interruption.ts';
import { showProgress } from '../terminal/progress.ts';
import type { Input } from './input.ts';

/** What is imported, and how it is read. */
export interface PetSource {
  input: Input;
  format: PetFormat;
  encoding: Encoding;
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

/** Reads the whole input. Bad rows go to `rejects`, one JSON object per line. Returns undefined when interrupted. */
export async function checkPets(
  source: PetSource,
  rejects: OutputFile | undefined,
): Promise<CheckedInput | undefined> {
  const content = createContentHash(source);
  using progress = showProgress('checked', source.input.sizeBytes, { format: megabytes });
  let goodCount = 0;
  let badCount = 0;
  const onChunk = (chunk: Uint8Array): void => {
    content.update(chunk);
    progress.add(chunk.length);
  };
  for await (const records of readRecords(source, onChunk)) {
    if (interruption.exitStatus !== undefined) return undefined;
    const bad = records.filter(({ pet }) => !pet);
    rejects?.write(bad.map(renderReject).join(''));
    for (const { line, problem } of bad.slice(0, Math.max(0, maxReported - badCount))) {
      progress.say(`line ${line}: ${problem}`);
    }
    badCount += bad.length;
    goodCount += records.length - bad.length;
  }
  if (badCount > maxReported) progress.say(`… and ${(badCount - maxReported).toLocaleString('en')} more.`);
  return { contentHash: content.digest('hex'), goodCount, badCount };
}

function renderReject({ line, problem, text }: ParsedRecord): string {
  return `${JSON.stringify({ line, problem, text: text.toWellFormed() })}\n`;
}

/** UTF-8 goes without saying: it was the only encoding when the first imports were recorded. */
export function createContentHash({ format, encoding, keepsIds }: PetSource): Hash {
  const reading = `${format} ${keepsIds ? 'ids' : 'no ids'}${encoding === 'utf-8' ? '' : ` ${encoding}`}`;
  return createHash('sha256').update(`${reading}\n`);
}

/** The records of the input, one batch per chunk of bytes; the same each time it is read. */
export async function* readRecords(
  { input, format, encoding, keepsIds }: PetSource,
  onChunk: (chunk: Uint8Array) => void,
): AsyncGenerator<ParsedRecord[]> {
  const decoder = createDecoder(encoding);
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

export async function sniff(input: Input, encoding: Encoding): Promise<PetFormat> {
  const decoder = createDecoder(encoding);
  for await (const chunk of input.chunks()) {
    const text = decoder.push(chunk);
    if (text.trim() !== '') return sniffFormat(text);
  }
  return 'ndjson';
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}

export function openRejects(path: string, inputPath: string): OutputFile {
  if (isSameFile(path, inputPath)) {
    throw usageError('--rejects names the file that is imported.', 'Name another file.');
  }
  return openOutputFile(path, 'w', `${path} of --rejects`);
}
