import { writeSync } from 'node:fs';

/** Writes the whole of a text: the system may take a part at a time, and on a full disk says so only at the next. */
export function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
}
