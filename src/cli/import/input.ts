import { createHash, type Hash, randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, read, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../domain/error.ts';
import type { CsvHeader, OnHeader } from '../../formats/csv.ts';
import {
  createDecoder,
  createPetParser,
  type Encoding,
  type PetFormat,
  sniffFormat,
} from '../../formats/format.ts';
import { type ParsedRecord, refuse } from '../../formats/record.ts';
import { attemptRead, systemReason, writeAll } from '../../system/files.ts';
import { countOf, listOf, report } from '../terminal/output.ts';
import { reportProgress } from '../terminal/progress.ts';

const chunkBytes = 512 * 1024;
const readInto = promisify(read);

/** A file that can be read more than once. */
export interface Input extends Disposable {
  sizeBytes: number;
  /** Reads from the beginning. A chunk is valid until the next one is requested. */
  chunks(): AsyncGenerator<Uint8Array>;
}

/** Opens a file, or standard input for `-`. A pipe, which cannot be read twice, is copied to a temporary file. */
export async function openInput(path: string): Promise<Input> {
  const descriptor = openForReading(path);
  if (fstatSync(descriptor).isFile()) return inputOf(descriptor);
  const copy = await copyToTemporaryFile(descriptor);
  if (descriptor !== 0) closeSync(descriptor);
  return inputOf(copy);
}

function openForReading(path: string): number {
  if (path === '-') return 0;
  const descriptor = attemptRead(path, () => openSync(path, 'r'));
  if (!fstatSync(descriptor).isDirectory()) return descriptor;
  closeSync(descriptor);
  throw new OperatorError(`${path} is a folder.`, 'Name a file, or - for standard input.');
}

function inputOf(descriptor: number): Input {
  return {
    sizeBytes: fstatSync(descriptor).size,
    async *chunks() {
      const buffer = new Uint8Array(chunkBytes);
      for (let position = 0; ;) {
        const { bytesRead } = await readInto(descriptor, buffer, 0, chunkBytes, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

/** Unlinks the file before filling it, so that nothing is left behind whatever happens. */
async function copyToTemporaryFile(source: number): Promise<number> {
  const path = join(tmpdir(), `petstore-import-${randomUUID()}`);
  const copy = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  try {
    for await (const chunk of Bun.file(source).stream()) writeAll(copy, chunk);
    return copy;
  } catch (error) {
    closeSync(copy);
    throw new OperatorError(
      `The input cannot be stored in ${tmpdir()}: ${systemReason(error)}. Nothing was written.`,
      'Make room there, or set TMPDIR to a folder that has it.',
    );
  }
}

/** The input of an import, and how to read it. */
export interface PetSource {
  input: Input;
  format: PetFormat;
  encoding: Encoding;
  keepsIds: boolean;
}

export interface CheckedInput {
  /** Identifies the import: equal bytes, read in the same way, are the same import. */
  contentHash: string;
  goodCount: number;
}

/** How many bad rows are shown; others are only counted. */
const maxReported = 100;

/** Reads the whole input, and refuses it if a row is bad. */
export async function checkPets(source: PetSource): Promise<CheckedInput> {
  const content = createContentHash(source);
  let goodCount = 0;
  let badCount = 0;
  // Shown below the progress.
  const messages: string[] = [];
  const onHeader = ({ leftOut }: CsvHeader): void => {
    const columns = leftOut.length === 1 ? 'column' : 'columns';
    if (leftOut.length > 0) messages.push(`Left out: the ${columns} ${listOf(leftOut)}.`);
  };
  {
    using progress = reportProgress('bytes checked', source.input.sizeBytes);
    const onChunk = (chunk: Uint8Array): void => {
      content.update(chunk);
      progress.add(chunk.length);
    };
    for await (const records of readRecords(source, onChunk, onHeader)) {
      for (const { pet, line, problem } of records) {
        if (pet) goodCount += 1;
        else if (++badCount <= maxReported) messages.push(`line ${line}: ${problem}`);
      }
    }
  }
  for (const message of messages) report(message);
  if (badCount > maxReported) report(`… and ${(badCount - maxReported).toLocaleString('en')} more.`);
  if (badCount === 0) return { contentHash: content.digest('hex'), goodCount };
  const total = (goodCount + badCount).toLocaleString('en');
  throw new OperatorError(
    `${countOf(badCount, 'row')} of ${total} cannot be imported, so nothing was written.`,
    'Fix the file, and import it again.',
  );
}

/** Leaves out UTF-8, which was the only encoding when the first imports were recorded. */
export function createContentHash({ format, encoding, keepsIds }: PetSource): Hash {
  const reading = `${format} ${keepsIds ? 'ids' : 'no ids'}${encoding === 'utf-8' ? '' : ` ${encoding}`}`;
  return createHash('sha256').update(`${reading}\n`);
}

/** The records of the input, one batch per chunk of bytes. Every read gives equal batches. */
export async function* readRecords(
  { input, format, encoding, keepsIds }: PetSource,
  onChunk: (chunk: Uint8Array) => void,
  onHeader?: OnHeader,
): AsyncGenerator<ParsedRecord[]> {
  const decoder = createDecoder(encoding);
  const parser = createPetParser(format, keepsIds, onHeader);
  const inOrder = keepsIds ? createOrderCheck() : (records: ParsedRecord[]) => records;
  for await (const chunk of input.chunks()) {
    onChunk(chunk);
    yield inOrder(parser.push(decoder.push(chunk)));
  }
  yield inOrder([...parser.push(decoder.end()), ...parser.end()]);
}

/** Requires ascending ids, which are distinct without keeping them in memory. */
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
