import { closeSync, fstatSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { read } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { randomUUID } from 'node:crypto';
import { OperatorError } from '../../error.ts';

const chunkBytes = 512 * 1024;
const readInto = promisify(read);

/** A file that can be read more than once. */
export interface Input {
  sizeBytes: number;
  /** From the beginning; each piece is valid until the next one is asked for. */
  chunks(): AsyncGenerator<Uint8Array>;
  close(): void;
}

/** Opens a file, or standard input for `-`. What cannot be read twice goes through a temporary file. */
export async function openInput(path: string): Promise<Input> {
  const descriptor = openForReading(path);
  if (fstatSync(descriptor).isFile()) return inputOf(descriptor);
  const spool = await spoolOf(descriptor);
  if (descriptor !== 0) closeSync(descriptor);
  return inputOf(spool);
}

function openForReading(path: string): number {
  if (path === '-') return 0;
  try {
    const descriptor = openSync(path, 'r');
    if (!fstatSync(descriptor).isDirectory()) return descriptor;
    closeSync(descriptor);
    throw new OperatorError(`${path} is a folder. Name a file, or - for standard input.`);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`The file ${path} cannot be read (${code}). Check its path and rights.`);
  }
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
    close: () => closeSync(descriptor),
  };
}

/** The temporary file has no name any more when it is filled, so nothing is left behind, whatever happens. */
async function spoolOf(source: number): Promise<number> {
  const path = join(tmpdir(), `petstore-import-${randomUUID()}`);
  const spool = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  try {
    for await (const chunk of Bun.file(source).stream()) {
      for (let written = 0; written < chunk.length;) written += writeSync(spool, chunk, written);
    }
    return spool;
  } catch (error) {
    closeSync(spool);
    const { code, message } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `The input cannot be kept in ${tmpdir()} (${code ?? message}). Nothing was written. ` +
        'Make room there, or set TMPDIR to a folder that has it.',
    );
  }
}
