import { createHash, type Hash, randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, read, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError, usageError } from '../../domain/error.ts';
import { type CsvHeader, csvReject, csvRejectsHeader, type OnHeader } from '../../formats/csv.ts';
import {
  createDecoder,
  createPetParser,
  type Encoding,
  type PetFormat,
  sniffFormat,
} from '../../formats/format.ts';
import { type ParsedRecord, refuse } from '../../formats/record.ts';
import { attemptRead, isSameFile, openOutputFile, systemReason, writeAll } from '../../system/files.ts';
import { countOf, listOf } from '../terminal/output.ts';
import { interruption, reportProgress } from '../terminal/progress.ts';

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
  badCount: number;
}

/** How many bad rows are shown; others are only counted. */
const maxReported = 20;

/** Reads the whole input. Bad rows go to `rejects`. Returns undefined if interrupted. */
export async function checkPets(
  source: PetSource,
  rejects: Rejects | undefined,
): Promise<CheckedInput | undefined> {
  const content = createContentHash(source);
  using progress = reportProgress('bytes checked', source.input.sizeBytes);
  let goodCount = 0;
  let badCount = 0;
  let namelessCount = 0;
  let firstNameless = 0;
  const onChunk = (chunk: Uint8Array): void => {
    content.update(chunk);
    progress.add(chunk.length);
  };
  const onHeader = (header: CsvHeader): void => {
    rejects?.begin(header);
    const { leftOut } = header;
    const columns = leftOut.length === 1 ? 'column' : 'columns';
    if (leftOut.length > 0) progress.report(`Left out: the ${columns} ${listOf(leftOut)}.`);
  };
  for await (const records of readRecords(source, onChunk, onHeader)) {
    if (interruption.exitStatus !== undefined) return undefined;
    const bad = records.filter(({ pet }) => !pet);
    rejects?.write(bad);
    for (const { line, problem } of bad.slice(0, Math.max(0, maxReported - badCount))) {
      progress.report(`line ${line}: ${problem}`);
    }
    // The API accepts an empty name, but in a file it is usually a mistake.
    const nameless = records.filter(({ pet }) => pet?.name.trim() === '');
    firstNameless ||= nameless[0]?.line ?? 0;
    namelessCount += nameless.length;
    badCount += bad.length;
    goodCount += records.length - bad.length;
  }
  if (badCount > maxReported) progress.report(`… and ${(badCount - maxReported).toLocaleString('en')} more.`);
  if (namelessCount > 0) {
    const verb = namelessCount === 1 ? 'has' : 'have';
    progress.report(
      `Warning: ${countOf(namelessCount, 'pet')} ${verb} no name, the first in line ${firstNameless}.`,
    );
  }
  return { contentHash: content.digest('hex'), goodCount, badCount };
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

/** The file that collects bad rows. */
export interface Rejects extends Disposable {
  begin(header: CsvHeader): void;
  write(records: ParsedRecord[]): void;
}

/** Writes CSV if the name says so, otherwise one JSON object per line. */
export function openRejects(path: string, inputPath: string, format: PetFormat): Rejects {
  if (isSameFile(path, inputPath)) {
    throw usageError('--rejects names the file that is imported.', 'Name another file.');
  }
  const isCsv = extname(path).toLowerCase() === '.csv';
  if (isCsv && format !== 'csv') {
    throw usageError(
      `The bad rows of ${format} cannot be written as CSV.`,
      'Name a file that ends in .ndjson with --rejects.',
    );
  }
  const file = openOutputFile(path, 'w', `${path} of --rejects`);
  let render = ({ line, problem, text }: ParsedRecord): string =>
    `${JSON.stringify({ line, problem, text })}\n`;
  return {
    begin(header) {
      if (!isCsv) return;
      file.write(csvRejectsHeader(header));
      render = (record) => csvReject(record, header);
    },
    write: (records) => file.write(records.map((record) => render(record)).join('')),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}
