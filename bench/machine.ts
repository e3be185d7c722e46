import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { currentCommit } from '../scripts/commit.ts';
import { peersFolder, type Contestant } from './contestant.ts';
import { coreLayout } from './cores.ts';
import type { ContestantEntry, Machine } from './results.ts';

/** As it is before a run: what is committed during one is not what was measured. */
export function describeMachine(): Machine {
  const { server, load } = coreLayout(1);
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: new Set([...server, ...load]).size,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `Linux ${release()}`,
    versions: {
      petstore: serviceVersion(),
      Bun: Bun.version,
      Node: outputOf(['node', '--version']).replace('v', ''),
      wrk: /wrk (?:\S*\/)?([\d.]+)/.exec(outputOf(['wrk', '-v']))?.[1] ?? 'unknown',
    },
  };
}

export async function describeContestant(contestant: Contestant): Promise<ContestantEntry> {
  const { id, name, kind, what, settings, packages } = contestant;
  const versions = await Promise.all(
    packages.map(async (dependency) => {
      const path = join(peersFolder, 'node_modules', dependency, 'package.json');
      const { version } = (await Bun.file(path).json()) as { version: string };
      return `${dependency} ${version}`;
    }),
  );
  const own = kind === 'service' ? [serviceVersion()] : [];
  return { id, name, kind, what, settings, versions: [...own, ...versions].join(', ') };
}

function serviceVersion(): string {
  const commit = currentCommit();
  return [packageJson.version, commit && `(${commit})`].filter(Boolean).join(' ');
}

function outputOf(command: string[]): string {
  const { stdout, stderr } = Bun.spawnSync(command, { stdio: ['ignore', 'pipe', 'pipe'] });
  return `${stdout.toString()}${stderr.toString()}`.trim();
}
