import { statSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { petstoreCommand } from '../test/support/process/process.ts';
import { cleanUpWhenInterrupted, makeFolder } from './load/processes.ts';

// How many pets a second `petstore import` puts into an empty embedded store: checked, committed and on the disk.
//   npm run bench:import -- [COUNT]
const [count, rounds] = [Number(process.argv[2] ?? 1_000_000), 3];
cleanUpWhenInterrupted();
using folder = makeFolder();
petstore('seeded', 'seed', '--count', String(count));
const machine = `${availableParallelism()} cores (${cpus()[0]?.model})`;
process.stdout.write(`${count.toLocaleString('en')} pets, best of ${rounds} rounds, ${machine}\n`);
for (const format of ['ndjson', 'csv']) {
  const file = join(folder.path, `pets.${format}`);
  petstore('seeded', 'export', file);
  const measured = Array.from({ length: rounds }, (_, round) => {
    const startedAt = performance.now();
    const { cpuTime, maxRSS } = petstore(`${format}-${round}`, 'import', file);
    return { seconds: (performance.now() - startedAt) / 1000, cpuTime, maxRSS };
  });
  const { seconds, cpuTime, maxRSS } = measured.toSorted((a, b) => a.seconds - b.seconds)[0]!;
  const rate = Math.round(count / seconds).toLocaleString('en');
  const cost = `${(Number(cpuTime.total) / 1e6).toFixed(2)} s of processor time, ${Math.round(maxRSS / 1e6)} MB`;
  const size = `${Math.round(statSync(file).size / 1e6)} MB`;
  process.stdout.write(`${format}: ${rate} pets/s (${size} in ${seconds.toFixed(2)} s, ${cost})\n`);
}

function petstore(store: string, ...args: string[]): Bun.ResourceUsage {
  const command = petstoreCommand([...args, '--database-url', join(folder.path, `${store}.db`)]);
  const { success, stderr, resourceUsage } = Bun.spawnSync(command, { stdout: 'ignore' });
  if (!success) throw new Error(`petstore ${args.join(' ')} failed: ${stderr.toString()}`);
  return resourceUsage;
}
