import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, read, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../domain/error.ts';
import { attemptRead, systemReason, writeAll } from '../../system/files.ts';

/** The encodings of a file without a byte order mark. */
export const encodings = ['utf-8', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];

const chunkBytes = 512 * 1024;
const readInto = promisify(read);

/** A file that can be read more than once. */
export interface InputFile extends Disposable {
  sizeBytes: number;
  /** Reads from the beginning. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** Opens a file, or standard input for `-`. A pipe, which cannot be read twice, is copied to a temporary file. */
export async function openInputFile(path: string): Promise<InputFile> {
  const opened = path === '-' ? 0 : attemptRead(path, () => openSync(path, 'r'));
  const stats = fstatSync(opened);
  if (stats.isDirectory()) {
    closeSync(opened);
    throw new OperatorError(`${path} is a folder.`, 'Name a file, or - for standard input.');
  }
  const descriptor = stats.isFile() ? opened : await copyToTemporaryFile(opened);
  return {
    sizeBytes: fstatSync(descriptor).size,
    async *chunks() {
      for (let position = 0; ;) {
        const chunk = new Uint8Array(chunkBytes);
        const { bytesRead } = await readInto(descriptor, chunk, 0, chunkBytes, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield chunk.subarray(0, bytesRead);
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
      `The input cannot be stored in ${tmpdir()}: ${systemReason(error)}. Nothing was sent.`,
      'Make room there, or set TMPDIR to a folder that has it.',
    );
  }
}

/** Decodes bytes that arrive in pieces. The first piece has the whole byte order mark, if there is one. */
export async function* decode(chunks: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  try {
    for await (const chunk of chunks) {
      decoder ??= new TextDecoder(encodingOf(chunk, encoding), { fatal: true });
      yield decoder.decode(chunk, { stream: true });
    }
    decoder?.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new OperatorError(
      `The file is not valid ${decoder?.encoding.toUpperCase()}.`,
      'Save it as UTF-8. If an older Excel saved it, add --encoding windows-1252.',
    );
  }
}

/** The first bytes of ZIP, used by .xlsx and .ods, and of the container of .xls. */
const spreadsheetMarks = ['504b0304', 'd0cf11e0'];

/** A byte order mark overrides `encoding`. */
function encodingOf(beginning: Uint8Array, encoding: Encoding): Encoding | 'utf-16le' | 'utf-16be' {
  const mark = Buffer.from(beginning.subarray(0, 4)).toString('hex');
  if (spreadsheetMarks.includes(mark)) {
    throw new OperatorError(
      'This is a spreadsheet (.xlsx, .xls or .ods) or an archive, not text.',
      'Open it in Excel or LibreOffice, save it with "Save As" as "CSV UTF-8", and import the new file.',
    );
  }
  if (mark.startsWith('fffe')) return 'utf-16le';
  if (mark.startsWith('feff')) return 'utf-16be';
  return mark.startsWith('efbbbf') ? 'utf-8' : encoding;
}
