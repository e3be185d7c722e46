import { statSync } from 'node:fs';
import { usageError } from '../../domain/error.ts';
import type { ParsedRecord } from '../../formats/record.ts';
import { openOutputFile } from '../output-file.ts';

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
