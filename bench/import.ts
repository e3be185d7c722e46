import { statSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { cleanUpWhenInterrupted, makeFolder } from './load/processes.ts';

// How many pets a second `petstore import` puts into an empty embedded store: checked, committed and on the disk.
//   npm run bench:import -- [COUNT]
const count = Number(process.argv[2] ?? 1_000_000);
const rounds = 3;

cleanUpWhenInterrupted();
using folder = makeFolder();
const seeded = join(folder.path, 'seeded.db');
petstore('seed', '--count', String(count), '--database-url', seeded);
const machine = `${availableParallelism()} cores (${cpus()[0]?.model})`;
process.stdout.write(`${count.toLocaleString('en')} pets, best of ${rounds} rounds, ${machine}\n`);
for (const format of ['ndjson', 'json', 'csv']) {
  const file = join(folder.path, `pets.${format}`);
  petstore('export', file, '--database-url', seeded);
  const measured = Array.from({ length: rounds }, (_, round) => {
    const startedAt = performance.now();
    const { cpuTime, maxRSS } = petstore(
      'import',
      file,
      '--database-url',
      join(folder.path, `${format}-${round}.db`),
    );
    return {
      seconds: (performance.now() - startedAt) / 1000,
      cpuSeconds: Number(cpuTime.total) / 1e6,
      maxRSS,
    };
  });
  const { seconds, cpuSeconds, maxRSS } = measured.toSorted((a, b) => a.seconds - b.seconds)[0]!;
  const rate = Math.round(count / seconds).toLocaleString('en');
  const cost = `${cpuSeconds.toFixed(2)} s of processor time, ${Math.round(maxRSS / 1e6)} MB`;
  const size = `${Math.round(statSync(file).size / 1e6)} MB`;
  process.stdout.write(`${format}: ${rate} pets/s (${size} in ${seconds.toFixed(2)} s, ${cost})\n`);
}

function petstore(...args: string[]): Bun.ResourceUsage {
  const command = [process.execPath, join(import.meta.dir, '../src/cli/petstore.ts'), ...args];
  const { exitCode, stderr, resourceUsage } = Bun.spawnSync(command, { stdout: 'ignore' });
  if (exitCode !== 0)
    throw new Error(`petstore ${args.join(' ')} ended with ${exitCode}: ${stderr.toString()}`);
  return resourceUsage;
}
