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

const pets = 3000;

/** The text of every pet, by id. */
type Truth = Map<string, string>;

/** A way to damage a store. */
interface Harm {
  kind: string;
  isOfLog: boolean;
  apply: (database: string, random: Random) => void;
}

/** Everywhere. SQLite ends its log at the first damaged frame, so damage to the log may cost its newest commits. */
const anyHarm: readonly Harm[] = [
  { kind: 'database, bytes flipped', isOfLog: false, apply: flipAnywhere('') },
  { kind: 'database, end cut off', isOfLog: false, apply: cut('') },
  { kind: 'log, bytes flipped', isOfLog: true, apply: flipAnywhere('-wal') },
  { kind: 'log, end cut off', isOfLog: true, apply: cut('-wal') },
];

/** Damage that is found wherever it hits, or harms nobody. */
const foundHarm = anyHarm.filter(({ isOfLog }) => !isOfLog);

/** What no check can find, and every reader would miss. */
const unseenHarm: Harm = {
  ...{ kind: 'pets deleted', isOfLog: false },
  apply(database) {
    using store = new Database(database, { readwrite: true, create: false });
    store.run('DELETE FROM pets WHERE id % 10 = 0');
  },
};

function cut(suffix: string): Harm['apply'] {
  return (database, random) => {
    const path = database + suffix;
    truncateSync(path, between(random, 0, statSync(path).size - 1));
  };
}

/** Changes a few bytes. */
function flipAnywhere(suffix: string): Harm['apply'] {
  return (database, random) => {
    const path = database + suffix;
    const bytes = readFileSync(path);
    for (let flips = between(random, 1, 8); flips > 0; flips--)
      bytes[between(random, 0, bytes.length - 1)]! ^= between(random, 1, 255);
    writeFileSync(path, bytes);
  };
}

const clearRefusal =
  /\npetstore: .*(?:damaged|not a database|cannot be opened|another program|schema version)/;

function createRun(harms: readonly Harm[]): Run {
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
      const { kind, isOfLog, apply } = random.pick(harms);
      apply(copy, random);
      const outcome = await readDamaged(copy, truth);
      if ('refusal' in outcome) {
        figures['refused at start'] += 1;
        if (!clearRefusal.test(outcome.refusal)) faults.push(`refused unclearly: ${outcome.refusal}`);
      } else {
        const { isWhole, changed, missing } = outcome;
        figures['reads refused'] += isWhole ? 0 : 1;
        figures['pets changed'] += changed;
        figures['pets left out'] += missing;
        // SQLite does not notice a bit that flips within a text, and neither do we: that is up to the file system.
        if (missing > 0 && !isOfLog) faults.push(`${kind}: ${missing} pets were left out`);
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
  await load.untilAcknowledged((pets * 2) / 3);
  await load.stop();
  await first.stop();
  await first[Symbol.asyncDispose]();
  await using second = await serve({ databaseUrl: database });
  const more = startLoad({ url: () => second.url, label: 'second' });
  await more.untilAcknowledged(pets / 3);
  await more.stop();
  const { truth } = await readAll(second);
  await second.kill9();
  return truth;
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
    const { truth: found, isWhole } = await readAll(service);
    const changed = [...found].filter(([id, text]) => truth.get(id) !== text).length;
    const missing = isWhole ? [...truth.keys()].filter((id) => !found.has(id)).length : 0;
    return { isWhole, changed, missing };
  } finally {
    await service[Symbol.asyncDispose]();
  }
}

/** Walks the pages as far as they are served. */
async function readAll(service: Service): Promise<{ truth: Truth; isWhole: boolean }> {
  const truth: Truth = new Map();
  for (let query: string | undefined = '?limit=100'; query !== undefined;) {
    // Where a text is damaged, the page may be against the contract.
    const response: Response | undefined = await service.call(`/v1/pets${query}`).catch(() => undefined);
    if (response?.status !== 200) return { truth, isWhole: false };
    for (const pet of (await response.json()) as { id: number }[])
      truth.set(String(pet.id), JSON.stringify(pet));
    query = nextQuery(response);
  }
  return { truth, isWhole: true };
}

function createTest(name: string, where: string, harms: readonly Harm[]): TortureTest {
  const run = createRun(harms);
  return {
    name,
    description: `bytes of the database or its log are flipped, or their end is cut off, ${where}, before a start`,
    passesWhen:
      'no pet is left out: refused clearly at start, or an error where the damage is met; a damaged log may end early',
    rounds: 100,
    unit: 'damaged stores',
    run,
    control: {
      description: 'pets are deleted from the file, which stays sound',
      rounds: 2,
      run: createRun([unseenHarm]),
    },
  };
}

export const damage = createTest('damage', 'anywhere', anyHarm);
/** Damage that is found wherever it hits, so that no seed fails. */
export const foundDamage = createTest('found-damage', 'where it is promised to be found', foundHarm);
