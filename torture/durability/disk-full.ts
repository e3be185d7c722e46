import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from '../../test/support/process/process.ts';
import { percentile, round } from '../../test/support/statistics.ts';
import { againstBroken } from '../support/against-broken.ts';
import { openDisk } from './ext4.ts';
import {
  add,
  faultsOf,
  figuresOf,
  firstLine,
  judgeFile,
  nothingYet,
  type Judgement,
} from '../support/judge.ts';
import { startLoad, type Load } from '../../test/support/journal.ts';
import { missingMount } from '../support/needs.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const diskMegabytes = 24;

interface Count {
  reads: number;
  readsServed: number;
  startsRefused: number;
  writableAfterMs: number[];
}

const run: Run = async ({ rounds, report, broken }) => {
  const count: Count = { reads: 0, readsServed: 0, startsRefused: 0, writableAfterMs: [] };
  let total: Judgement = nothingYet;
  for (let done = 1; done <= rounds; done++) {
    total = add(total, await fillDisk(count, broken));
    report(`${done} disks filled, ${count.readsServed} of ${count.reads} reads served`);
  }
  const slowest = percentile(count.writableAfterMs, 1);
  return {
    figures: {
      'disks filled': rounds,
      reads: count.reads,
      'reads served': count.readsServed,
      'starts on a full disk refused': count.startsRefused,
      'writable again after, slowest ms': round(slowest, 0),
      ...figuresOf(total),
    },
    faults: [
      ...(count.readsServed < count.reads
        ? [`${count.reads - count.readsServed} reads were not served`]
        : []),
      ...(count.startsRefused > 0 ? [`${count.startsRefused} starts on a full disk were refused`] : []),
      ...(slowest > 5000 ? [`writes took ${round(slowest / 1000)} s to come back`] : []),
      ...faultsOf(total),
    ],
  };
};

async function fillDisk(count: Count, broken: string | undefined) {
  using disk = openDisk(diskMegabytes);
  const databaseUrl = join(disk.folder, 'petstore.db');
  const ballast = join(disk.folder, 'ballast');
  let service = await serve({ databaseUrl, broken });
  const load = startLoad({ url: () => service.url, creators: 4, isPersistent: () => false });
  try {
    await load.untilAcknowledged(200);
    await untilRefused(load, ballast);
    await readWhileFull(service, load, count);
    await makeRoom(ballast, load, count);

    await load.stop();
    await service.stop();
    await service[Symbol.asyncDispose]();
    // Whatever the clean stop has removed cannot be made anew.
    fill(ballast);
    try {
      service = await serve({ databaseUrl, broken });
      await readWhileFull(service, load, count);
    } catch (error) {
      if (!firstLine(error).includes('before it was ready')) throw error;
      count.startsRefused += 1;
      rmSync(ballast);
      service = await serve({ databaseUrl, broken });
    }
    const again = startLoad({ url: () => service.url, creators: 2, journal: load.journal, label: 'later' });
    await untilRefused(again, ballast);
    await makeRoom(ballast, again, count);
    await again.stop();
  } finally {
    await service[Symbol.asyncDispose]();
  }
  const judgement = judgeFile(databaseUrl, load.journal);
  const odd = load.journal.refused.find((response) => !/^503 .*"unavailable"/.test(response));
  return odd === undefined
    ? judgement
    : { ...judgement, damage: [...judgement.damage, `A write got ${odd}`] };
}

/** Fills the disk again and again, since the store's log may reuse room of its own. */
async function untilRefused({ journal }: Load, ballast: string): Promise<void> {
  const goal = journal.refused.length + 20;
  const deadline = performance.now() + 3000;
  while (journal.refused.length < goal && performance.now() < deadline) {
    fill(ballast);
    await Bun.sleep(20);
  }
}

function fill(ballast: string): void {
  for (const bytes of [1 << 20, 4096, 512]) {
    try {
      for (;;) writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

/** Every acknowledged pet can be read, one by one and page by page. */
async function readWhileFull(service: Service, { journal }: Load, count: Count): Promise<void> {
  const known = [...journal.acknowledged].slice(-100);
  for (const [name, id] of known) {
    const responses = [await service.call(`/v1/pets/${id}`), await service.call('/v1/pets?limit=100')];
    const pet = responses[0]?.status === 200 ? ((await responses[0].json()) as { name: string }) : undefined;
    count.reads += 2;
    count.readsServed += (pet?.name === name ? 1 : 0) + (responses[1]?.status === 200 ? 1 : 0);
  }
}

async function makeRoom(ballast: string, load: Load, count: Count): Promise<void> {
  rmSync(ballast, { force: true });
  const startedAt = performance.now();
  await load.untilAcknowledged(1, 30_000);
  count.writableAfterMs.push(performance.now() - startedAt);
}

export const diskFull: TortureTest = {
  name: 'disk-full',
  description:
    'an ext4 image that is filled to the last block, while the service runs and before it starts, then given room',
  passesWhen: '100 % of reads served; writes again within 5 s of room, without a restart',
  rounds: 5,
  unit: 'disks',
  missing: missingMount,
  run,
  control: {
    description: 'a failed commit gets 201',
    rounds: 1,
    run: againstBroken(run, 'false-commits'),
  },
};
