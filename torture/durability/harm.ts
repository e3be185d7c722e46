import { Database } from 'bun:sqlite';
import { closeSync, openSync, readSync, statSync, truncateSync, writeSync } from 'node:fs';
import { between } from '../../test/support/random.ts';
import type { Random } from '../../test/support/random.ts';

/** A way to damage a store. */
export interface Harm {
  kind: string;
  /** Likelier than others by this factor. */
  weight: number;
  isOfLog: boolean;
  apply: (database: string, random: Random) => void;
}

export const cutFile: Harm = { kind: 'database, end cut off', weight: 2, isOfLog: false, apply: cut('') };

/** Everywhere. SQLite ends its log at the first damaged frame, so damage to the log may cost its newest commits. */
export const anyHarm: readonly Harm[] = [
  { kind: 'database, bytes flipped', weight: 8, isOfLog: false, apply: flipAnywhere('') },
  cutFile,
  { kind: 'log, bytes flipped', weight: 4, isOfLog: true, apply: flipAnywhere('-wal') },
  { kind: 'log, end cut off', weight: 1, isOfLog: true, apply: cut('-wal') },
];

/** Damage that is found wherever it hits, or harms nobody. */
export const foundHarm = anyHarm.filter(({ isOfLog }) => !isOfLog);

/** What no check can find, and every reader would miss. */
export const unseenHarm: Harm = {
  ...{ kind: 'pets deleted', weight: 1, isOfLog: false },
  apply(database) {
    using store = new Database(database, { readwrite: true, create: false });
    store.run('DELETE FROM pets WHERE id % 10 = 0');
  },
};

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
