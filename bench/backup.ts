import { mkdirSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { makeFolder, runCli, startService } from '../test/support/process/process.ts';
import { startBackups } from '../test/support/process/repeated-backups.ts';
import { percentile } from '../test/support/statistics.ts';
import { runAtConstantRate } from './load/constant-rate.ts';

// How long a hot list takes while `petstore backup --every` makes backups without pause, beside the same without backups.
//   npm run bench:backup -- [PETS] [REQUESTS PER SECOND] [ROUNDS]
const [pets = 200_000, rate = 1000, rounds = 5] = process.argv.slice(2).map(Number);
const seconds = 10;
const allowed = 2;

using folder = makeFolder();
const backups = join(folder.path, 'backups');
mkdirSync(backups);
const seeded = await runCli(['seed', '--count', String(pets), '--database-url', folder.database]);
if (seeded.status !== 0) throw new Error(seeded.stderr);

const machine = `${availableParallelism()} cores (${cpus()[0]?.model})`;
say(
  `${pets.toLocaleString('en')} pets, ${rate} lists a second, ${rounds} rounds of ${seconds} s each, ${machine}`,
);
const p99s = { without: [] as number[], during: [] as number[] };
for (let round = 1; round <= rounds; round++) {
  const without = await measure(false);
  const during = await measure(true);
  if (during.made === 0) throw new Error('No backup was made in this time.');
  p99s.without.push(without.p99Ms);
  p99s.during.push(during.p99Ms);
  const figures = `${without.p99Ms.toFixed(2)} ms without, ${during.p99Ms.toFixed(2)} ms during ${during.made} backups`;
  say(`round ${round}: p99 ${figures} (generator late by ${during.generatorLagP99Ms.toFixed(2)} ms)`);
}
const [without, during] = [percentile(p99s.without, 0.5), percentile(p99s.during, 0.5)];
say(
  `median p99: ${without.toFixed(2)} ms without, ${during.toFixed(2)} ms during backups, ${(during / without).toFixed(2)} times`,
);
process.exitCode = during / without <= allowed ? 0 : 1;

async function measure(isBackedUp: boolean) {
  const { database } = folder;
  await using service = await startService({ databaseUrl: database });
  await using running = isBackedUp
    ? startBackups({ database, to: backups, args: ['--keep', '1h'] })
    : undefined;
  const target = {
    url: service.url,
    headers: { Authorization: `Bearer ${service.apiKey}` },
    requests: [{ method: 'GET' as const, path: '/v1/pets' }],
    connections: 8,
  };
  const latencies = await runAtConstantRate(target, { rate, seconds, warmUpSeconds: 2 });
  if (latencies.errors > 0) throw new Error(`${latencies.errors} requests failed.`);
  await service.stop();
  const made = running?.stdout.text.match(/"message":"backup made"/g)?.length ?? 0;
  return { ...latencies, made };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
