import { Database } from 'bun:sqlite';
import { existsSync, statSync } from 'node:fs';
import { makeFolder, type Service } from '../../test/support/process/process.ts';
import { round } from '../../test/support/statistics.ts';
import { againstBroken, type Patch } from '../support/broken-program.ts';
import { faultsOf, judgeFile } from '../support/judge.ts';
import { startLoad, type Load } from '../support/load.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

/** A minute does not fill a log of 2 GiB on every machine, so the bound is shown with a smaller one. */
const limitMegabytes = 24;
/** The last batch before the refusal may go past the limit. */
const largestMegabytes = limitMegabytes + 4;
/** Afterwards the log must not stay larger than this. */
const settledMegabytes = 16;
const patienceMs = 60_000;

/** A round is a second for which the snapshot is held after the limit was reached. */
const run: Run = async ({ rounds: seconds, report, program }) => {
  using folder = makeFolder();
  await using service = await serve({ databaseUrl: folder.database, program });
  const load = startLoad({ url: () => service.url, creators: 16 });
  await load.untilAcknowledged(100);
  const log = `${folder.database}-wal`;
  const megabytes = () => (existsSync(log) ? statSync(log).size / 2 ** 20 : 0);

  let largest = 0;
  let reads = { asked: 0, served: 0 };
  let growth: number;
  {
    using reader = new Database(folder.database, { readwrite: true, create: false });
    reader.run('BEGIN');
    reader.query('SELECT count(*) FROM pets').get();
    const startedAt = performance.now();
    await until(() => isRefused(load) || megabytes() > largestMegabytes);
    largest = megabytes();
    growth = (largest * 1000) / (performance.now() - startedAt);
    report(`log of ${round(largest)} MiB, growing by ${round(growth)} MiB a second`);
    for (let second = 1; second <= seconds && largest <= largestMegabytes; second++) {
      reads = await readForOneSecond(service, reads);
      largest = Math.max(largest, megabytes());
      if (second % 10 === 0) report(`${second} s, log of ${round(largest)} MiB`);
    }
    reader.run('COMMIT');
  }
  const releasedAt = performance.now();
  const isWritable = await load.untilAcknowledged(10, patienceMs);
  const writableMs = performance.now() - releasedAt;
  await until(() => megabytes() <= settledMegabytes);
  const settled = megabytes();
  await load.stop();
  await service.stop();
  const judgement = judgeFile(folder.database, load.journal);
  return {
    figures: {
      'limit of the log, MiB': limitMegabytes,
      'growth under a held snapshot, MiB/s': round(growth),
      'held at the limit, s': seconds,
      'largest log, MiB': round(largest),
      'log after, MiB': round(settled),
      'writes refused': load.journal.refused.length,
      'reads meanwhile': reads.asked,
      'reads served': reads.served,
      'writable after the reader left, ms': round(writableMs, 0),
      creates: judgement.acknowledged,
      lost: judgement.lost,
    },
    faults: [
      ...(largest > largestMegabytes ? [`the log grew to ${round(largest)} MiB`] : []),
      ...(settled > settledMegabytes ? [`the log stays at ${round(settled)} MiB`] : []),
      ...(isWritable ? [] : ['writes did not come back']),
      ...(reads.served < reads.asked ? [`${reads.asked - reads.served} reads were refused`] : []),
      ...faultsOf(judgement),
      ...judgement.damage,
    ],
  };
};

function isRefused({ journal }: Load): boolean {
  return journal.refused.some((response) => /^503 .*"unavailable"/.test(response));
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!condition() && performance.now() < deadline) await Bun.sleep(20);
}

async function readForOneSecond(service: Service, { asked, served }: { asked: number; served: number }) {
  for (let count = 0; count < 20; count++) {
    const response = await service.call('/v1/pets?limit=10');
    asked += 1;
    served += response.status === 200 ? 1 : 0;
    await Bun.sleep(50);
  }
  return { asked, served };
}

const limit = 'const maxLogBytes = 2 * 1024 * 1024 * 1024;';
const smallLimit: Patch = {
  file: 'src/sqlite/writer-thread.ts',
  find: limit,
  replace: `const maxLogBytes = ${limitMegabytes} * 1024 * 1024;`,
};
const noLimit: Patch = { ...smallLimit, replace: 'const maxLogBytes = Infinity;' };

export const heldSnapshot: TortureTest = {
  name: 'held-snapshot',
  description: `a reader that holds a snapshot for a minute under full write load; the limit of the log set to ${limitMegabytes} MiB`,
  passesWhen: `the log stays below ${largestMegabytes} MiB, reads go on, writes come back by themselves, and the log shrinks below ${settledMegabytes} MiB`,
  rounds: 60,
  unit: 'seconds',
  run: againstBroken(run, [smallLimit]),
  control: {
    description: 'the log has no limit',
    rounds: 1,
    run: againstBroken(run, [noLimit]),
  },
};
