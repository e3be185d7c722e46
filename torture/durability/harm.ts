import { closeSync, openSync, readSync, statSync, truncateSync, writeSync } from 'node:fs';
import { between } from '../../test/support/random.ts';
import { FrameReader, headerBytes, readHeader } from '../../src/sqlite/wal/frames.ts';
import type { Random } from '../../test/support/random.ts';

/** A way to damage a store. */
export interface Harm {
  kind: string;
  /** Likelier than others by this factor. */
  weight: number;
  isOfLog: boolean;
  apply: (database: string, random: Random) => void;
}

/** Everywhere, also where no program can tell the damage from a crash. */
export const anyHarm: readonly Harm[] = [
  { kind: 'database, bytes flipped', weight: 8, isOfLog: false, apply: flipAnywhere('') },
  { kind: 'database, end cut off', weight: 2, isOfLog: false, apply: cut('') },
  { kind: 'log, bytes flipped', weight: 4, isOfLog: true, apply: flipAnywhere('-wal') },
  { kind: 'log, end cut off', weight: 1, isOfLog: true, apply: cut('-wal') },
];

/** Where it is promised that damage is found. */
export const foundHarm: readonly Harm[] = [
  { kind: 'database, end cut off', weight: 1, isOfLog: false, apply: cut('') },
  {
    kind: 'log, header',
    weight: 1,
    isOfLog: true,
    apply: (database, random) => flip(`${database}-wal`, random, headerBytes),
  },
  {
    kind: 'log, before its last two commits',
    weight: 2,
    isOfLog: true,
    apply: (database, random) => flip(`${database}-wal`, random, startOfLastTwo(`${database}-wal`)),
  },
];

export function pickHarm(harms: readonly Harm[], random: Random): Harm {
  return random.pick(harms.flatMap((harm) => Array.from({ length: harm.weight }, () => harm)));
}

function cut(suffix: string): Harm['apply'] {
  return (database, random) => {
    const path = database + suffix;
    truncateSync(path, between(random, 0, statSync(path).size - 1));
  };
}

function flipAnywhere(suffix: string): Harm['apply'] {
  return (database, random) => flip(database + suffix, random, statSync(database + suffix).size);
}

/** Changes a few of the first bytes of a file. */
function flip(path: string, random: Random, end: number): void {
  const file = openSync(path, 'r+');
  for (let flips = between(random, 1, 8); flips > 0; flips--) {
    const place = between(random, 0, end - 1);
    const byte = Buffer.alloc(1);
    readSync(file, byte, 0, 1, place);
    byte[0] = byte[0]! ^ between(random, 1, 255);
    writeSync(file, byte, 0, 1, place);
  }
  closeSync(file);
}

/** How many transactions a sound log holds. */
export function commitCount(path: string): number {
  return readCommits(path).ends.length;
}

/** Where the last two transactions of a sound log begin. */
function startOfLastTwo(path: string): number {
  const { ends, frameBytes } = readCommits(path);
  return headerBytes + (ends.at(-3) ?? 0) * frameBytes;
}

/** The frames after which a transaction of a sound log ends. */
function readCommits(path: string): { ends: number[]; frameBytes: number } {
  const file = openSync(path, 'r');
  const bytes = Buffer.alloc(headerBytes);
  readSync(file, bytes, 0, headerBytes, 0);
  const header = readHeader(bytes);
  const ends: number[] = [];
  if (!header) {
    closeSync(file);
    return { ends, frameBytes: 0 };
  }
  const reader = new FrameReader(file, header);
  let sums = header.sums;
  for (let frame = 0; ; frame++) {
    const found = reader.read(frame);
    if (!found?.hasSalts(header.salts) || !found.follows(sums)) break;
    sums = found.sums;
    if (found.commitPages > 0) ends.push(frame + 1);
  }
  closeSync(file);
  return { ends, frameBytes: header.pageSize + 24 };
}
