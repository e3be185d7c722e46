import { createHash, type Hash } from 'node:crypto';
import type { Rejects } from './rejects.ts';
import type { Input } from './input.ts';
import type { Interruption } from '../terminal/interruption.ts';
import { createPetReader, sniffFormat, type PetFormat } from '../../formats/format.ts';
import { refuse, type PetRow } from '../../formats/record.ts';
import { showProgress } from '../terminal/progress.ts';
import { createUtf8Decoder } from '../../formats/utf8.ts';

export interface CheckedInput {
  /** Names the import by its content and by how it is read. */
  source: string;
  goodCount: number;
  badCount: number;
}

export interface Check {
  input: Input;
  format: PetFormat;
  keepsIds: boolean;
  /** Where the bad rows go. */
  rejects: Rejects | undefined;
  interruption: Interruption;
}

/** More than a person wants to read; the rest is counted. */
const maxReported = 20;

/** Reads everything once and writes nothing. Undefined when it was interrupted. */
export async function checkPets(check: Check): Promise<CheckedInput | undefined> {
  const { input, rejects, interruption } = check;
  const content = createContentHash(check);
  using progress = showProgress('checked', input.sizeBytes, process.stderr, { format: megabytes });
  let goodCount = 0;
  let badCount = 0;
  for await (const rows of readRows(check, (chunk) => {
    content.update(chunk);
    progress.add(chunk.length);
  })) {
    if (interruption.exitStatus !== undefined) return undefined;
    for (const row of rows) {
      if (row.pet) {
        goodCount += 1;
        continue;
      }
      badCount += 1;
      rejects?.write(row);
      if (badCount <= maxReported) progress.say(`line ${row.line}: ${row.problem}`);
    }
  }
  if (badCount > maxReported) progress.say(`… and ${(badCount - maxReported).toLocaleString('en')} more.`);
  return { source: content.digest('hex'), goodCount, badCount };
}

/** Names an import by its content and by how it is read. */
export function createContentHash({ format, keepsIds }: Pick<Check, 'format' | 'keepsIds'>): Hash {
  return createHash('sha256').update(`${format} ${keepsIds ? 'ids' : 'no ids'}\n`);
}

/** The rows of a file, as many at a time as a piece of it holds; the same ones whenever it is read. */
export async function* readRows(
  { input, format, keepsIds }: Pick<Check, 'input' | 'format' | 'keepsIds'>,
  onChunk: (chunk: Uint8Array) => void = () => {},
): AsyncGenerator<PetRow[]> {
  const decoder = createUtf8Decoder();
  const reader = createPetReader(format, keepsIds);
  const inOrder = keepsIds ? createOrderCheck() : (rows: PetRow[]) => rows;
  for await (const chunk of input.chunks()) {
    onChunk(chunk);
    yield inOrder(reader.push(decoder.push(chunk)));
  }
  yield inOrder([...reader.push(decoder.end()), ...reader.end()]);
}

/** Ids that ascend are all different, and that is found out without remembering them. */
function createOrderCheck(): (rows: PetRow[]) => PetRow[] {
  let last = 0n;
  return (rows) =>
    rows.map((row) => {
      if (row.pet?.id === undefined) return row;
      if (row.pet.id <= last)
        return refuse(row.line, row.text, `id must be larger than ${last}, which is above it.`);
      last = row.pet.id;
      return row;
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
