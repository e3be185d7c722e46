import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { peersFolder } from './contestants/contestants.ts';
import { run } from './load/processes.ts';

/** What is missing on this machine, and how to get it. */
export function missingTools(): string[] {
  if (process.platform !== 'linux') return ['The benchmark reads /proc and pins processes: run it on Linux.'];
  const remedies = {
    wrk: 'Debian and Ubuntu: apt install wrk. Others: https://github.com/wg/wrk',
    taskset: 'Debian and Ubuntu: apt install util-linux.',
    node: 'Most peers run on it.',
    haproxy: 'Debian and Ubuntu: apt install haproxy.',
  };
  const missing = Object.entries(remedies).filter(([tool]) => !Bun.which(tool));
  return missing.map(([tool, remedy]) => `${tool} is missing. ${remedy}`);
}

/** Ends the program if there is anything to complain about. */
export function exitWith(complaints: string[], status: number): void {
  if (complaints.length === 0) return;
  (status === 0 ? process.stdout : process.stderr).write(`${complaints.join('\n')}\n`);
  process.exit(status);
}

/** Installs the peers on first use; nothing else needs them. */
export async function preparePeers(): Promise<void> {
  if (existsSync(join(peersFolder, 'node_modules'))) return;
  process.stderr.write('Installing the peers, once. This takes minutes…\n');
  await run(['npm', 'ci'], { cwd: peersFolder });
}

/** Reads a list such as `--only list,get`. */
export function choose(flag: string, given: string | undefined, known: string[], usual: string[]): string[] {
  const chosen = given?.split(',') ?? usual;
  const unknown = chosen.filter((id) => !known.includes(id));
  if (unknown.length === 0) return known.filter((id) => chosen.includes(id));
  throw new Error(`${flag} does not know ${unknown.join(', ')}. Known: ${known.join(', ')}.`);
}
