import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nextQuery } from '../../test/support/http/calls.ts';
import { randomFrom } from '../../test/support/random.ts';
import { makeFolder, type Service } from '../../test/support/process/process.ts';
import { anyHarm, foundHarm, pickHarm, unseenHarm, type Harm } from './harm.ts';
import { firstLine } from '../support/judge.ts';
import { startLoad } from '../../test/support/journal.ts';
import { serve } from '../support/serve.ts';
import type { Figures, Run, TortureTest } from '../support/torture-test.ts';

const pets = 3000;

/** The text of every pet, by id. */
type Truth = Map<string, string>;

/** What became of the stores that were damaged in one way. */
interface Count {
  stores: number;
  refusedStarts: number;
  /** Stores that responded with 503 where the damage was met. */
  refusedReads: number;
  /** Pets that were sent other than they are. */
  changed: number;
  /** Pets missing in a list that was sent as if it were whole. */
  missing: number;
}

function createRun(harms: readonly Harm[]): Run {
  return async ({ rounds, seed, report }) => {
    const random = randomFrom(seed);
    const counts = new Map(harms.map(({ kind }) => [kind, createCount()]));
    const faults: string[] = [];
    using folder = makeFolder();
    const truth = await makeStore(folder.database);
    const pristine = join(folder.path, 'pristine/petstore.db');
    // The next program that opens the store folds its log into it.
    copyStore(folder.database, pristine);

    for (let done = 1; done <= rounds; done++) {
      const copy = join(folder.path, `damaged-${done}/petstore.db`);
      copyStore(pristine, copy);
      const { kind, apply } = pickHarm(harms, random);
      apply(copy, random);
      const count = counts.get(kind) ?? createCount();
      faults.push(...(await askAll({ copy, truth, count })));
      const { refusedStarts, changed, missing } = sumOf(counts);
      report(`${done} damaged stores, ${refusedStarts} refused, ${changed + missing} wrong responses`);
    }
    return {
      figures: {
        'damaged stores': rounds,
        ...figuresOf(counts),
      },
      faults: [...faults, ...harms.flatMap((harm) => faultsOf(harm, counts.get(harm.kind) ?? createCount()))],
    };
  };
}

function createCount(): Count {
  return { stores: 0, refusedStarts: 0, refusedReads: 0, changed: 0, missing: 0 };
}

function sumOf(counts: Map<string, Count>): Count {
  const total = createCount();
  for (const count of counts.values()) {
    for (const name of Object.keys(total) as (keyof Count)[]) total[name] += count[name];
  }
  return total;
}

function figuresOf(counts: Map<string, Count>): Figures {
  const text = ({ stores, refusedStarts, refusedReads, changed, missing }: Count) =>
    `${stores} stores, ${refusedStarts} refused at start, ${refusedReads} with reads refused (503), ` +
    `${changed} pets changed, ${missing} left out`;
  return Object.fromEntries([...counts].map(([kind, count]) => [kind, text(count)]));
}

function faultsOf({ kind, isOfLog }: Harm, { changed, missing }: Count): string[] {
  return [
    ...(changed > 0 ? [`${kind}: ${changed} pets were sent with other data`] : []),
    ...(missing > 0 && !isOfLog ? [`${kind}: ${missing} pets were left out`] : []),
  ];
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
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
}

interface Asked {
  copy: string;
  truth: Truth;
  count: Count;
}

/** Starts a service on the store and reads it whole. Gives what is wrong with a refusal. */
async function askAll({ copy, truth, count }: Asked): Promise<string[]> {
  count.stores += 1;
  let service: Service;
  try {
    service = await serve({ databaseUrl: copy });
  } catch (error) {
    count.refusedStarts += 1;
    const isClear =
      /\npetstore: .*(?:damaged|not a database|cannot be opened|another program|schema version)/.test(
        String(error),
      );
    if (isClear) return [];
    return [`A damaged store was refused unclearly: ${firstLine(error)} ${String(error).split('\n').at(-2)}`];
  }
  try {
    const { truth: found, isWhole } = await readAll(service);
    if (!isWhole) count.refusedReads += 1;
    count.changed += [...found].filter(([id, text]) => truth.get(id) !== text).length;
    if (isWhole) count.missing += [...truth.keys()].filter((id) => !found.has(id)).length;
    return [];
  } finally {
    await service[Symbol.asyncDispose]();
  }
}

/** Walks the pages as far as they are served. */
async function readAll(service: Service): Promise<{ truth: Truth; isWhole: boolean }> {
  const truth: Truth = new Map();
  for (let query: string | undefined = '?limit=100'; query !== undefined;) {
    const response: Response | undefined = await service.call(`/v1/pets${query}`).catch(() => undefined);
    // A response against the contract is worse than a wrong one.
    if (!response) truth.set('undocumented', 'a response against openapi.yaml');
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
      '0 wrong responses: refused clearly at start, or 503 where the damage is met; a damaged log may end early',
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
