// How many pets a second `petstore import` puts into the embedded store, from the first byte read to the last
// commit on disk, checking included. Prints the rate of each format; the smallest of them is what counts.
//   npm run bench:import -- [COUNT]
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

const count = Number(process.argv[2] ?? 1_000_000);
const rounds = 3;
const petstore = [process.execPath, join(import.meta.dir, '../src/cli/petstore.ts')];
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-import-'));

try {
  const seeded = join(folder, 'seeded.db');
  run('seed', '--count', String(count), '--database-url', seeded);
  print(
    `${count.toLocaleString('en')} pets, ${rounds} rounds, ${availableParallelism()} cores (${cpus()[0]?.model})`,
  );
  print('format   file MB   best round s   pets/s   CPU s   peak MB');
  for (const format of ['ndjson', 'json', 'csv']) {
    const file = join(folder, `pets.${format}`);
    run('export', file, '--database-url', seeded);
    const best = Array.from({ length: rounds }, (_, round) =>
      measure(file, join(folder, `${format}-${round}.db`)),
    )
      .toSorted((one, other) => one.seconds - other.seconds)
      .at(0);
    if (!best) continue;
    const cells = [
      format.padEnd(6),
      (statSync(file).size / 1e6).toFixed(0).padStart(10),
      best.seconds.toFixed(2).padStart(15),
      Math.round(count / best.seconds)
        .toLocaleString('en')
        .padStart(12),
      best.cpuSeconds.toFixed(2).padStart(8),
      best.peakMegabytes.toFixed(0).padStart(10),
    ];
    print(cells.join(''));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measure(file: string, database: string) {
  const startedAt = performance.now();
  const usage = run('import', file, '--database-url', database);
  const seconds = (performance.now() - startedAt) / 1000;
  rmSync(database);
  return {
    seconds,
    cpuSeconds: Number(usage.cpuTime.total) / 1e6,
    peakMegabytes: usage.maxRSS / 1e6,
  };
}

function run(...args: string[]): Bun.ResourceUsage {
  const { exitCode, stderr, resourceUsage } = Bun.spawnSync([...petstore, ...args], { stdout: 'ignore' });
  if (exitCode !== 0)
    throw new Error(`petstore ${args.join(' ')} ended with ${exitCode}: ${stderr.toString()}`);
  return resourceUsage;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
