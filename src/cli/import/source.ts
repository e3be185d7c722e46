import { createHash } from 'node:crypto';
import { OperatorError } from '../../domain/error.ts';
import { foldName } from '../../domain/fold.ts';
import { createOrderNotice } from '../service.ts';
import { countOf, listOf, report } from '../terminal/output.ts';
import { reportProgress } from '../terminal/progress.ts';
import { decode, type Encoding, type InputFile } from './file.ts';
import { type CsvHeader, readCsv, readHeader, readNdjson } from './rows.ts';

export const formats = ['ndjson', 'csv'] as const;
export type PetFormat = (typeof formats)[number];

/** What a person says about a file. */
export interface Reading {
  format?: PetFormat;
  encoding: Encoding;
}

/** A file, and how to read it. */
export interface Source {
  input: InputFile;
  format: PetFormat;
  encoding: Encoding;
  header: CsvHeader | undefined;
}

/** Detects the format by the first character that is not white space. */
export async function sniff(input: InputFile, { format, encoding }: Reading): Promise<Source> {
  for await (const text of decode(input.chunks(), encoding)) {
    const [first] = text.trimStart();
    if (first === undefined) continue;
    if (first === '[' && format === undefined) {
      throw new OperatorError(
        'This looks like a JSON array. Nothing was sent.',
        "Import NDJSON instead, one pet per line: jq -c '.[]' turns an array into it.",
      );
    }
    const found = format ?? (first === '{' ? 'ndjson' : 'csv');
    return { input, format: found, encoding, header: found === 'csv' ? readHeader(text) : undefined };
  }
  return { input, format: 'ndjson', encoding, header: undefined };
}

/** Reads the rows. Afterwards `hash` has what identifies them: their bytes and how these were read. */
export function readSource({ input, format, encoding, header }: Source, onBytes = (_count: number) => {}) {
  const hash = createHash('sha256').update(`${format} ${encoding}\n`);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of input.chunks()) {
      hash.update(chunk);
      onBytes(chunk.length);
      yield chunk;
    }
  }
  const texts = decode(chunks(), encoding);
  return { rows: header ? readCsv(texts, header) : readNdjson(texts), hash };
}

export interface CheckedFile {
  contentHash: string;
  petCount: number;
  /** One spelling of each. */
  categoryNames: string[];
  orders: ReturnType<typeof createOrderNotice>;
}

/** How many bad rows are shown; others are only counted. */
const maxReported = 100;

/** Collects the problems of rows, to be shown below the progress. */
export function createRowReport() {
  const messages: string[] = [];
  let count = 0;
  return {
    add(line: number, problem: string | undefined) {
      if (++count <= maxReported) messages.push(`line ${line}: ${problem}`);
    },
    /** Returns how many there were. */
    show(): number {
      for (const message of messages) report(message);
      if (count > maxReported) report(`… and ${(count - maxReported).toLocaleString('en')} more.`);
      return count;
    },
  };
}

/** Reads the whole file, and refuses it if a row is bad. */
export async function checkFile(source: Source): Promise<CheckedFile> {
  const { leftOut = [] } = source.header ?? {};
  if (leftOut.length > 0)
    report(`Left out: the column${leftOut.length === 1 ? '' : 's'} ${listOf(leftOut)}.`);
  const bad = createRowReport();
  const orders = createOrderNotice();
  const names = new Map<string, string>();
  let petCount = 0;
  const progress = reportProgress('bytes checked', source.input.sizeBytes);
  const { rows, hash } = readSource(source, (count) => progress.add(count));
  for await (const { line, pet, problem } of rows) {
    if (!pet) {
      bad.add(line, problem);
      continue;
    }
    petCount += 1;
    orders.count(pet);
    if (typeof pet.category !== 'string') continue;
    const folded = foldName(pet.category);
    if (!names.has(folded)) names.set(folded, pet.category);
  }
  progress[Symbol.dispose]();
  const badCount = bad.show();
  if (badCount === 0)
    return { contentHash: hash.digest('hex'), petCount, categoryNames: [...names.values()], orders };
  const total = (petCount + badCount).toLocaleString('en');
  throw new OperatorError(
    `${countOf(badCount, 'row')} of ${total} cannot be imported, so nothing was sent.`,
    'Fix the file, and import it again.',
  );
}
