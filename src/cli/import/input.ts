import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, read, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../domain/error.ts';
import { attemptRead, systemReason, writeAll } from '../../system/files.ts';

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
