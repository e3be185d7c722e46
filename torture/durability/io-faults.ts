import { join } from 'node:path';
import { makeFolder, type Service } from '../../test/support/process/process.ts';
import { between, randomFrom } from '../../test/support/random.ts';
import { againstBroken } from '../support/against-broken.ts';
import {
  add,
  faultsOf,
  figuresOf,
  firstLine,
  judgeFile,
  nothingYet,
  type Judgement,
} from '../support/judge.ts';
import { startLoad } from '../../test/support/journal.ts';
import { missingStrace } from '../support/needs.ts';
import { serve } from '../support/serve.ts';
import { readSyncOrder, underStrace } from './strace.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

interface Count {
  injections: number;
  responses: number;
  false201: number;
  restarts: number;
  stuck: number;
}

const run: Run = async ({ rounds, seed, report, broken }) => {
  const random = randomFrom(seed);
  const count: Count = { injections: 0, responses: 0, false201: 0, restarts: 0, stuck: 0 };
  let total: Judgement = nothingYet;
  for (let done = 1; done <= rounds; done++) {
    const call = random.pick(['pwrite64', 'fsync']);
    const first = between(random, 1, 40);
    const last = first + between(random, 0, 5);
    const inject = `${call}:error=${random.pick(['EIO', 'ENOSPC'])}:when=${first}..${last}`;
    total = add(total, await failOnce(inject, count, broken));
    report(`${done} services, ${count.injections} failed calls, ${count.false201} false 201s`);
  }
  const { injections, responses, false201, restarts, stuck } = count;
  return {
    figures: {
      services: rounds,
      'failed calls': injections,
      'responses of 201': responses,
      'false 201s': false201,
      restarts,
      'not recovered': stuck,
      ...figuresOf(total),
    },
    faults: [
      ...(responses === 0 ? ['strace saw no response'] : []),
      ...(false201 > 0 ? [`${false201} responses of 201 without a sync that succeeded`] : []),
      ...(stuck > 0 ? [`${stuck} services did not take writes again`] : []),
      ...faultsOf(total),
    ],
  };
};

async function failOnce(inject: string, count: Count, broken: string | undefined) {
  using folder = makeFolder();
  const log = join(folder.path, 'strace.log');
  const databaseUrl = join(folder.path, 'store/petstore.db');
  // A supervisor restarts a service that ends, here as in production.
  const restart = (): Promise<Service> => {
    count.restarts += 1;
    return serve({ databaseUrl, broken });
  };
  const wrap = underStrace({ log, inject });
  let service = await serve({ databaseUrl, broken, wrap }).catch((error: unknown) => {
    if (!firstLine(error).includes('before it was ready')) throw error;
    return restart();
  });
  const load = startLoad({ url: () => service.url, creators: 4 });
  let isOver = false;
  const ended = service.exited.then(async () => {
    if (!isOver) service = await restart();
  });
  await load.untilAcknowledged(60, 5000);
  // Whatever failed lies behind it now: writes must be taken again.
  if (!(await load.untilAcknowledged(40, 20_000))) count.stuck += 1;
  await load.stop();
  isOver = true;
  await service[Symbol.asyncDispose]();
  await ended;
  const { responses, early, failedCalls } = readSyncOrder(log);
  count.injections += failedCalls;
  count.responses += responses;
  count.false201 += early.length;
  return judgeFile(databaseUrl, load.journal);
}

/** Both must be found by the responses that came too early. */
const runControls: Run = async (options) => {
  const faults: string[] = [];
  for (const layer of ['false-commits', 'unsynced']) {
    const outcome = await againstBroken(run, layer)(options);
    const fault = outcome.faults.find((text) => text.includes('without a sync'));
    if (fault === undefined) return { figures: {}, faults: [] };
    faults.push(`${layer}: ${fault}`);
  }
  return { figures: {}, faults };
};

export const ioFaults: TortureTest = {
  name: 'io-faults',
  description:
    'EIO and ENOSPC injected by strace into the Nth to Mth write or sync of the store, and the order of sync and 201',
  passesWhen: '0 responses of 201 before a sync that succeeded; recovers, or exits and is restarted',
  rounds: 60,
  unit: 'services',
  missing: missingStrace,
  run,
  control: {
    description: 'a failed commit gets 201; synchronous=OFF',
    rounds: 15,
    run: runControls,
  },
};
