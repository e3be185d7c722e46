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
  using follower = followEvents(service.url);
  const passing = await runFlood(
    service.url,
    { ...mix, connections, seconds, rate: peak * 0.7 },
    ({ useful }, passed) => {
      memory.push(memoryMb(service.pid));
      descriptors.push(descriptorCount(service.pid));
      if (passed % Math.ceil(seconds / rowsOfTable) > 0) return;
      const figures = [passed, useful, follower.events, memory.at(-1) ?? 0, descriptors.at(-1) ?? 0];
      rows.push(figures.map((figure) => figure.toLocaleString('en', { maximumFractionDigits: 0 })));
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

/** Follows the log of a new store from its first event, as an application does. */
function followEvents(url: string) {
  const client = createClient({ baseUrl: url, apiKey: fixedKey });
  const ended = new AbortController();
  const followed = { events: 0, lastId: 0n, outOfOrder: 0 };
  const follow = async (): Promise<void> => {
    for await (const { id } of client.events({ signal: ended.signal })) {
      followed.events += 1;
      if (id <= followed.lastId) followed.outOfOrder += 1;
      followed.lastId = id;
    }
  };
  const failures: string[] = [];
  follow().catch((error: unknown) => {
    if (!ended.signal.aborted) failures.push(`the follower broke off: ${firstLine(error)}`);
  });
  return {
    get events() {
      return followed.events;
    },
    /** Call it once nothing creates any more: every pet must have had its event. */
    async findFaults(): Promise<string[]> {
      // The last creates of the flood may still be on their way.
      await Bun.sleep(1000);
      const { pets } = await client.searchPetsPage({ limit: 1 });
      const created = Number(pets[0]?.id ?? 0);
      const isBehind = () => followed.events < created;
      const deadline = performance.now() + patienceMs;
      while (isBehind() && performance.now() < deadline) await Bun.sleep(50);
      ended.abort();
      return [
        ...(followed.events === created ? [] : [`${created} pets, but ${followed.events} events`]),
        ...(followed.outOfOrder > 0 ? [`${followed.outOfOrder} events came out of order`] : []),
        ...failures,
      ];
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
