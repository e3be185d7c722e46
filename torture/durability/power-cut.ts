import { join } from 'node:path';
import { type Random, between, randomFrom } from '../../test/support/random.ts';
import { againstBroken } from '../support/against-broken.ts';
import { openDisk } from './ext4.ts';
import { add, faultsOf, figuresOf, judgeFile, nothingYet, type Judgement } from '../support/judge.ts';
import { startLoad } from '../../test/support/journal.ts';
import { missingMount } from '../support/needs.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

/** Each disk is new, so that a tenth of the cuts hit a store that has just been made. */
const cutsPerDisk = 10;
const diskMegabytes = 48;

const run: Run = async ({ rounds, seed, report, broken }) => {
  const random = randomFrom(seed);
  let total: Judgement = nothingYet;
  for (let done = 0; done < rounds;) {
    const count = Math.min(cutsPerDisk, rounds - done);
    total = (await cutPower(count, random, broken)).reduce(add, total);
    done += count;
    report(`${done} cuts, ${total.lost} lost`);
  }
  return { figures: { cuts: rounds, ...figuresOf(total) }, faults: faultsOf(total) };
};

async function cutPower(count: number, random: Random, broken: string | undefined) {
  using disk = openDisk(diskMegabytes);
  await using service = await serve({ databaseUrl: join(disk.folder, 'shop/petstore.db'), broken });
  const load = startLoad({ url: () => service.url, creators: 6 });
  const judgements = [];
  try {
    for (let cut = 0; cut < count; cut++) {
      await load.untilAcknowledged(cut === 0 ? 1 : between(random, 1, 200));
      process.kill(service.pid, 'SIGSTOP');
      // Responses that were sent before the cut count, so they may arrive.
      await Bun.sleep(20);
      const acknowledged = new Map(load.journal.acknowledged);
      using after = await disk.cut();
      process.kill(service.pid, 'SIGCONT');
      judgements.push(judgeFile(join(after.folder, 'shop/petstore.db'), load.journal, acknowledged));
    }
    await load.stop();
  } finally {
    await service.kill9();
  }
  return judgements;
}

export const powerCut: TortureTest = {
  name: 'power-cut',
  description:
    'the store on ext4 over a loop device, whose image is copied at one moment under load and mounted again',
  passesWhen: 'lost = 0, integrity check clean',
  rounds: 100,
  unit: 'cuts',
  missing: missingMount,
  run,
  control: { description: 'synchronous=OFF', rounds: 5, run: againstBroken(run, 'unsynced') },
};
