import { join } from 'node:path';
import { makeFolder } from '../../test/support/process/process.ts';
import { againstBroken } from '../support/against-broken.ts';
import { faultsOf, figuresOf, judgeFile } from '../support/judge.ts';
import { startLoad } from '../../test/support/journal.ts';
import { missingStrace } from '../support/needs.ts';
import { serve } from '../support/serve.ts';
import { readSyncOrder, underStrace } from './strace.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

/** The names of `startLoad`; in a response and in a page of the store they stand as they are. */
export const petName = /creator-\d+-\d+/;

const run: Run = async ({ rounds, report, broken }) => {
  using folder = makeFolder();
  const log = join(folder.path, 'strace.log');
  const databaseUrl = join(folder.path, 'store/petstore.db');
  await using service = await serve({ databaseUrl, broken, wrap: underStrace({ log }) });
  const load = startLoad({ url: () => service.url });
  await load.untilAcknowledged(rounds, 240_000);
  await load.stop();
  await service.kill9();
  const { responses, early } = readSyncOrder(log, petName);
  report(`${responses} responses checked, ${early.length} out of order`);
  const judgement = judgeFile(databaseUrl, load.journal);
  const unseen = judgement.acknowledged - responses;
  return {
    figures: {
      'responses checked': responses,
      'out of order': early.length,
      ...figuresOf(judgement),
    },
    faults: [
      ...(early.length > 0 ? [`${early.length} responses left before their sync`] : []),
      ...(unseen > 0 ? [`${unseen} responses are not in the log of strace`] : []),
      ...faultsOf(judgement),
    ],
  };
};

export const syncOrder: TortureTest = {
  name: 'sync-order',
  description: 'whether the sync comes before the write of the 201, seen by strace',
  passesWhen: '0 responses out of order',
  rounds: 3000,
  unit: 'responses',
  missing: missingStrace,
  run,
  control: {
    description: 'synchronous=OFF',
    rounds: 50,
    run: againstBroken(run, 'unsynced'),
  },
};
