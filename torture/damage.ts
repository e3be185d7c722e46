import {
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  writeSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { nextQuery } from '../test/calls.ts';
import { randomFrom, type Random } from '../test/cli/random.ts';
import { makeFolder, runCli, type Service } from '../test/process.ts';
import { againstBroken } from './broken-program.ts';
import { firstLine } from './judge.ts';
import { between, percentile, round, startLoad } from './load.ts';
import { serve } from './serve.ts';
import type { Run, TortureTest } from './torture-test.ts';

const animals = 3000;

/** The text of every animal, by id. */
type Truth = Map<string, string>;

interface Count {
  refused: number;
  unclear: string[];
  /** Animals that were answered other than they are. */
  changed: number;
  /** Animals left out of a list, or answered 404, though the database file held them. */
  missing: number;
  /** The same, when it was the log that lost them: to SQLite that is the end of a log after a crash. */
  missingFromLog: number;
  refusedReads: number;
}

const run: Run = async ({ rounds, seed, report, program }) => {
  const random = randomFrom(seed);
  const count: Count = {
    refused: 0,
    unclear: [],
    changed: 0,
    missing: 0,
    missingFromLog: 0,
    refusedReads: 0,
  };
  const restoresMs: number[] = [];
  using folder = makeFolder();
  const truth = await makeStore(folder.database);
  const pristine = join(folder.path, 'pristine/petstore.db');
  // Whoever opens the store next folds its log into it, a backup too.
  copyStore(folder.database, pristine);
  const backup = join(folder.path, 'backup.db');
  await succeed(['backup', backup, '--database-url', folder.database]);

  for (let done = 1; done <= rounds; done++) {
    const copy = join(folder.path, `damaged-${done}/petstore.db`);
    copyStore(pristine, copy);
    const target = random.pick(['petstore.db', 'petstore.db', 'petstore.db-wal'] as const);
    harm(join(dirname(copy), target), random);
    await askAll({ copy, truth, count, isLog: target.endsWith('-wal'), program });
    if (done % 10 === 0) {
      const startedAt = performance.now();
      await succeed(['restore', backup, '--database-url', copy, '--force']);
      restoresMs.push(performance.now() - startedAt);
    }
    report(
      `${done} damaged stores, ${count.refused} refused, ${count.changed + count.missing} wrong answers`,
    );
  }
  return {
    figures: {
      'damaged stores': rounds,
      'refused at start': count.refused,
      'reads refused (503)': count.refusedReads,
      'animals changed': count.changed,
      'animals missing': count.missing,
      'animals missing, damage in the log': count.missingFromLog,
      'restore, slowest ms': round(percentile(restoresMs, 1), 0),
    },
    faults: [
      ...count.unclear,
      ...(count.changed > 0 ? [`${count.changed} animals were answered with other data`] : []),
      ...(count.missing > 0 ? [`${count.missing} animals were left out`] : []),
      ...(count.missingFromLog > 0
        ? [`${count.missingFromLog} animals were left out after damage in the log`]
        : []),
    ],
  };
};

/** A store of which two thirds are in the database file and the rest is in the log, as after a crash. */
async function makeStore(database: string): Promise<Truth> {
  const first = await serve({ databaseUrl: database });
  const load = startLoad({ url: () => first.url });
  await load.untilAcknowledged((animals * 2) / 3);
  await load.stop();
  await first.stop();
  await first[Symbol.asyncDispose]();
  await using second = await serve({ databaseUrl: database });
  const more = startLoad({ url: () => second.url, label: 'second' });
  await more.untilAcknowledged(animals / 3);
  await more.stop();
  const { truth } = await readAll(second);
  await second.kill9();
  return truth;
}

function copyStore(from: string, to: string): void {
  mkdirSync(dirname(to));
  for (const suffix of ['', '-wal']) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
}

function harm(path: string, random: Random): void {
  const { size } = statSync(path);
  if (random.next() < 0.2) {
    truncateSync(path, between(random, 0, size - 1));
    return;
  }
  const file = openSync(path, 'r+');
  for (let flips = between(random, 1, 8); flips > 0; flips--) {
    const place = between(random, 0, size - 1);
    const byte = Buffer.alloc(1);
    readSync(file, byte, 0, 1, place);
    byte[0] = byte[0]! ^ between(random, 1, 255);
    writeSync(file, byte, 0, 1, place);
  }
  closeSync(file);
}

interface Asked {
  copy: string;
  truth: Truth;
  count: Count;
  isLog: boolean;
  program: string | undefined;
}

async function askAll({ copy, truth, count, isLog, program }: Asked): Promise<void> {
  let service: Service;
  try {
    service = await serve({ databaseUrl: copy, program });
  } catch (error) {
    count.refused += 1;
    if (
      !/\npetstore: .*(?:damaged|not a database|cannot be opened|another program|schema version)/.test(
        String(error),
      )
    ) {
      count.unclear.push(
        `A damaged store was refused unclearly: ${firstLine(error)} ${String(error).split('\n').at(-2)}`,
      );
    }
    return;
  }
  try {
    const { truth: found, isWhole } = await readAll(service);
    if (!isWhole) count.refusedReads += 1;
    count.changed += [...found].filter(([id, text]) => truth.get(id) !== text).length;
    const absent = isWhole ? [...truth.keys()].filter((id) => !found.has(id)).length : 0;
    if (isLog) count.missingFromLog += absent;
    else count.missing += absent;
  } finally {
    await service[Symbol.asyncDispose]();
  }
}

/** Walks the pages as far as they are served. */
async function readAll(service: Service): Promise<{ truth: Truth; isWhole: boolean }> {
  const truth: Truth = new Map();
  for (let query: string | undefined = '?limit=100'; query !== undefined;) {
    const answer: Response | undefined = await service.call(`/v1/pets${query}`).catch(() => undefined);
    // An answer against the contract is worse than a wrong one.
    if (!answer) truth.set('undocumented', 'an answer against openapi.yaml');
    if (answer?.status !== 200) return { truth, isWhole: false };
    for (const pet of (await answer.json()) as { id: number }[])
      truth.set(String(pet.id), JSON.stringify(pet));
    query = nextQuery(answer);
  }
  return { truth, isWhole: true };
}

async function succeed(args: string[]): Promise<void> {
  const { status, stderr } = await runCli(args);
  if (status !== 0) throw new Error(`petstore ${args[0]} ended with ${status}: ${stderr}`);
}

export const damage: TortureTest = {
  name: 'damage',
  description: 'bytes of the database or of its log flipped, or their end cut off, before a start',
  passesWhen: '0 wrong answers: refused clearly at start, or 503 where the damage is met',
  rounds: 100,
  unit: 'damaged stores',
  run,
  control: {
    description: 'the file is not checked at start',
    rounds: 30,
    run: againstBroken(run, [
      {
        file: 'src/sqlite/file.ts',
        find: "if (found?.quick_check !== 'ok') throw damaged(path);",
        replace: 'void found;',
      },
    ]),
  },
};
