import { join } from 'node:path';
import { makeFolder } from '../../test/support/process/process.ts';
import { againstBroken } from '../support/broken-program.ts';
import { faultsOf, judgeFile } from '../support/judge.ts';
import { startLoad } from '../support/load.ts';
import { missingStrace } from '../support/needs.ts';
import { serve } from '../support/serve.ts';
import { readSyncOrder, underStrace } from './strace.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

/** The names of `startLoad`; in an answer and in a page of the store they stand as they are. */
export const petName = /creator-\d+-\d+/;

const run: Run = async ({ rounds, report, program }) => {
  using folder = makeFolder();
  const log = join(folder.path, 'strace.log');
  const databaseUrl = join(folder.path, 'store/petstore.db');
  await using service = await serve({ databaseUrl, program, wrap: underStrace({ log }) });
  const load = startLoad({ url: () => service.url });
  await load.untilAcknowledged(rounds, 240_000);
  await load.stop();
  await service.kill9();
  const { answers, early } = readSyncOrder(log, petName);
  report(`${answers} answers looked at, ${early.length} out of order`);
  const judgement = judgeFile(databaseUrl, load.journal);
  const unseen = judgement.acknowledged - answers;
  return {
    figures: {
      'answers looked at': answers,
      'out of order': early.length,
      ...judgement,
      damage: judgement.damage.length,
    },
    faults: [
      ...(early.length > 0 ? [`${early.length} answers left before their sync`] : []),
      ...(unseen > 0 ? [`${unseen} answers are not in the log of strace`] : []),
      ...faultsOf(judgement),
      ...judgement.damage,
    ],
  };
};

export const syncOrder: TortureTest = {
  name: 'sync-order',
  description: 'sync before 201: the order of the sync and of the answer’s write, from strace',
  passesWhen: '0 answers out of order',
  rounds: 3000,
  unit: 'answers',
  missing: missingStrace,
  run,
  control: {
    description: 'synchronous=NORMAL, which syncs the log at checkpoints only',
    rounds: 50,
    run: againstBroken(run, [
      {
        file: 'src/sqlite/opening/connect.ts',
        find: 'PRAGMA synchronous = FULL',
        replace: 'PRAGMA synchronous = NORMAL',
      },
    ]),
  },
};
