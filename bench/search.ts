import { availableParallelism, cpus } from 'node:os';
import { fillFile } from '../test/support/fill-file.ts';
import { makeFolder, startService } from '../test/support/process/process.ts';
import { percentile } from '../test/support/statistics.ts';
import { runAtConstantRate } from './load/constant-rate.ts';

// How long a search takes that matches nothing, and what a hot list loses while such searches follow each other without
// pause: throughput of callers that never wait, and p99 at a constant rate, each beside the same without searches.
//   npm run bench:search -- [PETS] [ROUNDS] [SECONDS]
const [pets = 1_000_000, rounds = 5, seconds = 5] = process.argv.slice(2).map(Number);
const connections = 8;
const rate = 500;
const allowed = { searchMs: 500, throughput: 0.5, p99: 3 };

using folder = makeFolder();
await fillFile(folder.database, pets);
await using service = await startService({ databaseUrl: folder.database });
const headers = { Authorization: `Bearer ${service.apiKey}` };
say(
  `${pets.toLocaleString('en')} pets, ${availableParallelism()} cores (${cpus()[0]?.model}), ${rounds} rounds`,
);

const searchMs: number[] = [];
for (let count = 0; count < rounds + 1; count++) searchMs.push(await search(count));
// The first one reads the file from the disk.
const medianMs = percentile(searchMs.slice(1), 0.5);
say(`search that matches nothing: ${medianMs.toFixed(0)} ms (first ${searchMs[0]?.toFixed(0)} ms)`);

const ratios = { throughput: [] as number[], p99: [] as number[] };
for (let round = 1; round <= rounds; round++) {
  const quiet = await measure();
  const busy = await whileSearching(measure);
  ratios.throughput.push(busy.perSecond / quiet.perSecond);
  ratios.p99.push(busy.p99Ms / quiet.p99Ms);
  const describe = ({ perSecond, p99Ms }: typeof quiet) =>
    `${perSecond.toFixed(0)}/s, p99 ${p99Ms.toFixed(2)} ms`;
  say(`round ${round}: lists alone ${describe(quiet)}; beside searches ${describe(busy)}`);
}
const [throughput, p99] = [percentile(ratios.throughput, 0.5), percentile(ratios.p99, 0.5)];
say(`median: ${throughput.toFixed(2)} of the throughput, ${p99.toFixed(2)} times the p99`);
const isGood = medianMs <= allowed.searchMs && throughput >= allowed.throughput && p99 <= allowed.p99;
await service.stop();
process.exitCode = isGood ? 0 : 1;

/** Each search is another one, so that no response is kept. */
async function search(number: number): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${service.url}/v1/pets/search?q=nobody+${number}`, { headers });
  if ((await response.text()) !== '[]') throw new Error('The search found something.');
  return performance.now() - startedAt;
}

async function measure() {
  const until = performance.now() + seconds * 1000;
  let count = 0;
  const list = async (): Promise<void> => {
    while (performance.now() < until) {
      await (await fetch(`${service.url}/v1/pets`, { headers })).text();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, list));
  const requests = [{ method: 'GET' as const, path: '/v1/pets' }];
  const target = { url: service.url, headers, requests, connections };
  const { p99Ms, errors } = await runAtConstantRate(target, { rate, seconds, warmUpSeconds: 1 });
  if (errors > 0) throw new Error(`${errors} requests failed.`);
  return { perSecond: count / seconds, p99Ms };
}

async function whileSearching<Result>(work: () => Promise<Result>): Promise<Result> {
  const done = new AbortController();
  const searching = (async () => {
    for (let number = 1000; !done.signal.aborted; number++) await search(number);
  })();
  try {
    return await work();
  } finally {
    done.abort();
    await searching;
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
