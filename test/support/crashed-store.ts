import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import { addPets } from './http/calls.ts';
import { startService } from './process/process.ts';

/** Makes a store at this path whose service was killed: these pets were acknowledged, and are in its log alone. */
export async function makeCrashedStore(path: string, petCount = 5): Promise<void> {
  // A clean stop moves the tables into the file.
  await openSqliteStore({ path }).close();
  await using service = await startService({ databaseUrl: path });
  await addPets(service.call, petCount);
  await service.kill9();
}

/** Copies a store with its side files, as an operator does by hand. */
export function copyByHand(from: string, to: string, suffixes = ['', '-wal', '-shm']): void {
  for (const suffix of suffixes) {
    if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
  }
}

/** Changes a byte of the log, so many frames from its end. */
export function damageLog(path: string, framesFromEnd: number): void {
  flip(`${path}-wal`, statSync(`${path}-wal`).size - (framesFromEnd - 1) * (24 + 4096) - 1000);
}

/** Changes bytes all over a database file but for its first page. */
export function damageFile(path: string): void {
  const descriptor = openSync(path, 'r');
  const { size } = fstatSync(descriptor);
  closeSync(descriptor);
  for (let place = 4096; place < size; place += 1024) flip(path, place);
}

function flip(path: string, place: number): void {
  const descriptor = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, place);
  byte[0]! ^= 0xff;
  writeSync(descriptor, byte, 0, 1, place);
  closeSync(descriptor);
}
