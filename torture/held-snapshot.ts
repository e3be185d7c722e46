import { Database } from 'bun:sqlite';
import { existsSync, statSync } from 'node:fs';
import { makeFolder } from '../test/process.ts';
import { againstBroken } from './broken-program.ts';
import { faultsOf, judgeFile } from './judge.ts';
import { round, startLoad } from './load.ts';
import { serve } from './serve.ts';
import type { Run, TortureTest } from './torture-test.ts';

/** While a reader holds its snapshot, the log can only grow; this is what a minute of full load may come to. */
const largestMegabytes = 2048;
/** Afterwards it must not stay larger than this, however large it was. */
const settledMegabytes = 64;
const settleWithinMs = 5000;

/** A round is a second for which the snapshot is held. */
const run: Run = async ({ rounds: seconds, report, program }) => {
  using folder = makeFolder();
  await using service = await serve({ databaseUrl: folder.database, program });
  const load = startLoad({ url: () => service.url, creators: 32 });
  await load.untilAcknowledged(100);
  const megabytes = () =>
    existsSync(`${folder.database}-wal`) ? statSync(`${folder.database}-wal`).size / 2 ** 20 : 0;

  let largest = 0;
  {
    using reader = new Database(folder.database, { readwrite: true, create: false });
    reader.run('BEGIN');
    reader.query('SELECT count(*) FROM pets').get();
    for (let second = 1; second <= seconds; second++) {
      await Bun.sleep(1000);
      largest = Math.max(largest, megabytes());
      if (second % 10 === 0) report(`${second} s, log of ${round(largest)} MiB`);
    }
    reader.run('COMMIT');
  }
  const releasedAt = performance.now();
  while (megabytes() > shrunk(largest) && performance.now() - releasedAt < settleWithinMs)
    await Bun.sleep(50);
  const settleMs = performance.now() - releasedAt;
  const settled = megabytes();
  await load.stop();
  await service.stop();
  const judgement = judgeFile(folder.database, load.journal);
  return {
    figures: {
      'held, s': seconds,
      creates: judgement.acknowledged,
      'largest log, MiB': round(largest),
      'log after, MiB': round(settled),
      'shrunk after, ms': round(settleMs, 0),
      lost: judgement.lost,
      refused: load.journal.refused.length,
    },
    faults: [
      ...(largest > largestMegabytes ? [`the log grew to ${round(largest)} MiB`] : []),
      ...(settled > shrunk(largest) ? [`the log stays at ${round(settled)} MiB`] : []),
      ...faultsOf(judgement),
      ...judgement.damage,
    ],
  };
};

/** Short runs make small logs; those must shrink as well. */
function shrunk(largest: number): number {
  return Math.min(settledMegabytes, Math.max(5, largest / 2));
}

export const heldSnapshot: TortureTest = {
  name: 'held-snapshot',
  description: 'a reader that holds a snapshot for a minute under full write load',
  passesWhen: `the log stays below ${largestMegabytes} MiB and shrinks below ${settledMegabytes} MiB afterwards`,
  rounds: 60,
  unit: 'seconds',
  run,
  control: {
    description: 'the log is never folded into the file (wal_autocheckpoint=0)',
    rounds: 8,
    run: againstBroken(run, [
      {
        file: 'src/sqlite/connect.ts',
        find: "  database.run('PRAGMA synchronous = FULL');",
        replace:
          "  database.run('PRAGMA synchronous = FULL');\n  database.run('PRAGMA wal_autocheckpoint = 0');",
      },
    ]),
  },
};
