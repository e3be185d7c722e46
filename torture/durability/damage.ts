import { Database } from 'bun:sqlite';
import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyByHand } from '../../test/support/crashed-store.ts';
import { nextQuery } from '../../test/support/http/calls.ts';
import { between, randomFrom, type Random } from '../../test/support/random.ts';
import { makeFolder, type Service } from '../../test/support/process/process.ts';
import { startLoad } from '../../test/support/journal.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const petCount = 3000;

/** The text of every pet, by id. */
type Truth = Map<string, string>;

/** A way to damage a store. */
interface Harm {
  kind: string;
  apply: (database: string, random: Random) => void;
  /** What SQLite promises nobody sees: it checks the pages of a small file at a start, and every frame of its log. */
  unseen: 'pets changed' | 'pets left out';
}

/** A bit that flips within a text goes unnoticed, and a log ends at its first damaged frame. */
const harms: readonly Harm[] = [
  { kind: 'database, bytes flipped', apply: flip(''), unseen: 'pets left out' },
  { kind: 'database, end cut off', apply: cut(''), unseen: 'pets left out' },
  { kind: 'log, bytes flipped', apply: flip('-wal'), unseen: 'pets changed' },
  { kind: 'log, end cut off', apply: cut('-wal'), unseen: 'pets changed' },
];

/** What no check of SQLite can find. */
const soundHarms: readonly Harm[] = [
  { kind: 'pets deleted', apply: change('DELETE FROM pets'), unseen: 'pets left out' },
  {
    kind: 'pets renamed',
    apply: change(`UPDATE pets SET json = replace(json, 'creator', 'creature')`),
    unseen: 'pets changed',
  },
];

function cut(suffix: string): Harm['apply'] {
  return (database, random) => {
    const path = database + suffix;
    truncateSync(path, between(random, 0, statSync(path).size - 1));
  };
}

/** Changes a few bytes. */
function flip(suffix: string): Harm['apply'] {
  return (database, random) => {
    const path = database + suffix;
    const bytes = readFileSync(path);
    for (let flips = between(random, 1, 8); flips > 0; flips--)
      bytes[between(random, 0, bytes.length - 1)]! ^= between(random, 1, 255);
    writeFileSync(path, bytes);
  };
}

function change(sql: string): Harm['apply'] {
  return (database) => {
    using store = new Database(database, { readwrite: true, create: false });
    store.run(`${sql} WHERE id % 10 = 0`);
  };
}

const clearRefusal =
  /\npetstore: .*(?:damaged|not a database|cannot be opened|another program|schema version)/;

function runWith(harmsOfRun: readonly Harm[]): Run {
  return async ({ rounds, seed, report }) => {
    const random = randomFrom(seed);
    const faults: string[] = [];
    const figures = {
      ...{ 'damaged stores': rounds, 'refused at start': 0, 'reads refused': 0 },
      ...{ 'pets changed': 0, 'pets left out': 0 },
    };
    using folder = makeFolder();
    const truth = await makeStore(folder.database);
    const pristine = join(folder.path, 'pristine/petstore.db');
    // The next program that opens the store folds its log into it.
    copyStore(folder.database, pristine);

    for (let done = 1; done <= rounds; done++) {
      const copy = join(folder.path, `damaged-${done}/petstore.db`);
      copyStore(pristine, copy);
      // In turn, so that a few rounds see all of them.
      const { kind, apply, unseen } = harmsOfRun[done % harmsOfRun.length]!;
      apply(copy, random);
      const outcome = await readDamaged(copy, truth);
      if ('refusal' in outcome) {
        figures['refused at start'] += 1;
        if (!clearRefusal.test(outcome.refusal)) faults.push(`refused unclearly: ${outcome.refusal}`);
      } else {
        figures['reads refused'] += outcome.isWhole ? 0 : 1;
        figures['pets changed'] += outcome['pets changed'];
        figures['pets left out'] += outcome['pets left out'];
        if (outcome[unseen] > 0) faults.push(`${kind}: ${outcome[unseen]} ${unseen}`);
      }
      report(`${done} damaged stores, ${faults.length} faults`);
    }
    return { figures, faults };
  };
}

/** A store of which two thirds are in the database file and the rest is in the log, as after a crash. */
async function makeStore(database: string): Promise<Truth> {
  const first = await serve({ databaseUrl: database });
  const load = startLoad({ url: () => first.url });
  await load.untilAcknowledged((petCount * 2) / 3);
  await load.stop();
  await first.stop();
  await first[Symbol.asyncDispose]();
  await using second = await serve({ databaseUrl: database });
  const more = startLoad({ url: () => second.url, label: 'second' });
  await more.untilAcknowledged(petCount / 3);
  await more.stop();
  const { pets } = await readAll(second);
  await second.kill9();
  return pets;
}

function copyStore(from: string, to: string): void {
  mkdirSync(dirname(to));
  copyByHand(from, to);
}

/** Starts a service on the store, if it starts, and reads the store whole. */
async function readDamaged(copy: string, truth: Truth) {
  let service: Service;
  try {
    service = await serve({ databaseUrl: copy });
  } catch (error) {
    return { refusal: String(error) };
  }
  try {
    const { pets, isWhole } = await readAll(service);
    const changed = [...pets].filter(([id, text]) => truth.get(id) !== text).length;
    const missing = isWhole ? [...truth.keys()].filter((id) => !pets.has(id)).length : 0;
    return { isWhole, 'pets changed': changed, 'pets left out': missing };
  } finally {
    await service[Symbol.asyncDispose]();
  }
}

/** Walks the pages as far as they are served. */
async function readAll(service: Service): Promise<{ pets: Truth; isWhole: boolean }> {
  const pets: Truth = new Map();
  for (let query: string | undefined = '?limit=100'; query !== undefined;) {
    // Where a text is damaged, the page may be against the contract.
    const response: Response | undefined = await service.call(`/v1/pets${query}`).catch(() => undefined);
    if (response?.status !== 200) return { pets, isWhole: false };
    for (const pet of (await response.json()) as { id: number }[])
      pets.set(String(pet.id), JSON.stringify(pet));
    query = nextQuery(response);
  }
  return { pets, isWhole: true };
}

export const damage: TortureTest = {
  name: 'damage',
  description: 'bytes of the database or its log are flipped, or their end is cut off, before a start',
  passesWhen:
    'a damaged database leaves out no pet: it is refused clearly at start, or by an error where the damage is met; a damaged log may end early, and changes no pet',
  rounds: 100,
  unit: 'damaged stores',
  run: runWith(harms),
  control: {
    description: 'pets are deleted from the file, or renamed in it, and it stays sound',
    rounds: 2,
    run: runWith(soundHarms),
  },
};
