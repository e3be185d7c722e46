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
print(
  `${count.toLocaleString('en')} pets, best of ${rounds} rounds, ${availableParallelism()} cores (${cpus()[0]?.model})`,
);
print('format   file MB   seconds    pets/s   CPU s   peak MB');
for (const format of ['ndjson', 'json', 'csv']) {
  const file = join(folder.path, `pets.${format}`);
  petstore('export', file, '--database-url', seeded);
  const measured = Array.from({ length: rounds }, (_, round) => {
    const startedAt = performance.now();
    const usage = petstore('import', file, '--database-url', join(folder.path, `${format}-${round}.db`));
    return { ...usage, seconds: (performance.now() - startedAt) / 1000 };
  });
  const { seconds, cpuSeconds, peakMb } = measured.toSorted((a, b) => a.seconds - b.seconds)[0]!;
  const rate = Math.round(count / seconds).toLocaleString('en');
  const fileMb = (statSync(file).size / 1e6).toFixed(0);
  const figures = [fileMb, seconds.toFixed(2), rate, cpuSeconds.toFixed(2), peakMb.toFixed(0)];
  print(
    format.padEnd(6) + figures.map((figure, index) => figure.padStart([10, 10, 10, 8, 10][index]!)).join(''),
  );
}

function petstore(...args: string[]): { cpuSeconds: number; peakMb: number } {
  const command = [process.execPath, join(import.meta.dir, '../src/cli/petstore.ts'), ...args];
  const { exitCode, stderr, resourceUsage } = Bun.spawnSync(command, { stdout: 'ignore' });
  if (exitCode !== 0)
    throw new Error(`petstore ${args.join(' ')} ended with ${exitCode}: ${stderr.toString()}`);
  return { cpuSeconds: Number(resourceUsage.cpuTime.total) / 1e6, peakMb: resourceUsage.maxRSS / 1e6 };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
