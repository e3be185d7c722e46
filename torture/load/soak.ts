import { createClient } from '../../packages/client/src/index.ts';
import { round, slopeOf } from '../../test/support/statistics.ts';
import { descriptorCount, memoryMb, settledDescriptors } from '../../test/support/process/process-figures.ts';
import { fixedKey } from '../../test/support/process/process.ts';
import { againstBroken } from '../support/against-broken.ts';
import { firstLine } from '../support/judge.ts';
import { serve } from '../support/serve.ts';
import { runFlood, usefulPerSecond } from './start-flood.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const connections = 32;
const mix = { createEvery: 20, patienceMs: 5000 };
/** More than this is a leak; the first third of the run is left to warm up. */
const mostMemoryMbPerMinute = 1;
/** In a short run, the noise of a moment looks like this much. */
const noiseMbPerMinute = 300;
const longEnoughSeconds = 300;
const mostDescriptorsPerMinute = 0.5;
/** Connections of the test itself, which are kept for a while. */
const ownConnections = 8;
const rowsOfTable = 6;
const patienceMs = 60_000;

/** A round is a second of load. */
const run: Run = async ({ rounds: seconds, report, broken }) => {
  await using service = await serve({ broken });
  await service.call('/v1/pets');
  const descriptorsBefore = descriptorCount(service.pid);
  const peak = usefulPerSecond(
    await runFlood(service.url, { ...mix, connections, seconds: Math.min(10, seconds) }),
  );
  const memory: number[] = [];
  const descriptors: number[] = [];
  const rows: string[][] = [];
  const secondsOfRow = Math.ceil(seconds / rowsOfTable);
  let usefulOfRow = 0;
  using follower = followEvents(service.url);
  const passing = await runFlood(
    service.url,
    { ...mix, connections, seconds, rate: peak * 0.7 },
    ({ useful }, passed) => {
      memory.push(memoryMb(service.pid));
      descriptors.push(descriptorCount(service.pid));
      usefulOfRow += useful;
      if (passed % secondsOfRow > 0) return;
      const figures = [
        passed,
        usefulOfRow / secondsOfRow,
        follower.events,
        memory.at(-1) ?? 0,
        descriptors.at(-1) ?? 0,
      ];
      rows.push(figures.map((figure) => figure.toLocaleString('en', { maximumFractionDigits: 0 })));
      usefulOfRow = 0;
      report(`${passed} s, ${round(memory.at(-1) ?? 0)} MiB`);
    },
  );
  const followedFaults = await follower.findFaults();
  const warm = Math.floor(memory.length / 3);
  const memoryPerMinute = slopeOf(memory.slice(warm)) * 60;
  const descriptorsPerMinute = slopeOf(descriptors.slice(warm)) * 60;
  const descriptorsLeft =
    (await settledDescriptors(service.pid, descriptorsBefore + ownConnections)) - descriptorsBefore;
  const bad = passing.reduce((sum, { refused, wrong, failed }) => sum + refused + wrong + failed, 0);
  return {
    figures: {
      seconds,
      'useful/s': round(usefulPerSecond(passing), 0),
      'share of peak, %': round((usefulPerSecond(passing) / peak) * 100, 0),
      'failed or refused': bad,
      'events followed': follower.events,
      'memory, MiB a minute after the first third': round(memoryPerMinute, 3),
      'descriptors a minute': round(descriptorsPerMinute, 3),
      'descriptors left open': Math.max(0, descriptorsLeft),
    },
    table: { head: ['Second', 'Requests a second', 'Events followed', 'Memory, MiB', 'Descriptors'], rows },
    faults: [
      ...followedFaults,
      ...(memoryPerMinute > (seconds < longEnoughSeconds ? noiseMbPerMinute : mostMemoryMbPerMinute)
        ? [`memory grows by ${round(memoryPerMinute)} MiB a minute`]
        : []),
      ...(descriptorsPerMinute > mostDescriptorsPerMinute
        ? [`descriptors grow by ${round(descriptorsPerMinute)} a minute`]
        : []),
      ...(descriptorsLeft > ownConnections ? [`${descriptorsLeft} descriptors were left open`] : []),
      ...(bad > 0 ? [`${bad} requests failed`] : []),
    ],
  };
};

/** Follows the log of a new store from its first event, as an application does. Every event adds the next pet. */
function followEvents(url: string) {
  const client = createClient({ baseUrl: url, apiKey: fixedKey });
  const ended = new AbortController();
  const faults: string[] = [];
  let events = 0;
  const follow = async (): Promise<void> => {
    for await (const { type, petId } of client.events({ signal: ended.signal })) {
      events += 1;
      if (type === 'pet.created' && petId === BigInt(events)) continue;
      throw new Error(`event ${events} is ${type} of pet ${petId}`);
    }
  };
  follow().catch((error: unknown) => {
    if (!ended.signal.aborted) faults.push(`the follower broke off: ${firstLine(error)}`);
  });
  const countPets = async (): Promise<number> =>
    Number((await client.searchPetsPage({ limit: 1 })).pets[0]?.id ?? 0);
  return {
    get events() {
      return events;
    },
    /** Call it when nothing creates any more. */
    async findFaults(): Promise<string[]> {
      const deadline = performance.now() + patienceMs;
      let created = await countPets();
      while (created !== events && faults.length === 0 && performance.now() < deadline) {
        await Bun.sleep(100);
        created = await countPets();
      }
      ended.abort();
      return created === events ? faults : [...faults, `${created} pets, but ${events} events`];
    },
    [Symbol.dispose]: () => ended.abort(),
  };
}

export const soak: TortureTest = {
  name: 'soak',
  description: 'an hour of mixed load at 70 % of the peak, with its events followed',
  passesWhen: `memory grows by less than ${mostMemoryMbPerMinute} MiB a minute, descriptors by less than ${mostDescriptorsPerMinute}; every pet has one event, in order`,
  rounds: 3600,
  unit: 'seconds',
  run,
  control: {
    description: 'every request leaks memory, some a descriptor, and the service grows slow',
    rounds: 8,
    run: againstBroken(run, 'leaks'),
  },
};
