import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { currentCommit } from '../../test/support/commit.ts';
import { peersFolder, type Contestant } from '../contestants/contestants.ts';
import { coreLayout } from '../load/processes.ts';
import type { ContestantEntry, Results } from './results.ts';

export function describeMachine(): Results['machine'] {
  const { server, load } = coreLayout(1);
  const Node = outputOf(['node', '--version']).replace('v', '');
  const wrk = /wrk (?:\S*\/)?([\d.]+)/.exec(outputOf(['wrk', '-v']))?.[1] ?? 'unknown';
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: new Set([...server, ...load]).size,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `Linux ${release()}`,
    versions: { petstore: serviceVersion(), Bun: Bun.version, Node, wrk },
  };
}

export async function describeContestant(contestant: Contestant): Promise<ContestantEntry> {
  const { id, name, kind, what, settings, packages } = contestant;
  const installed = packages.map(async (dependency) => {
    const path = join(peersFolder, 'node_modules', dependency, 'package.json');
    return `${dependency} ${((await Bun.file(path).json()) as { version: string }).version}`;
  });
  const versions = kind === 'service' ? [serviceVersion()] : await Promise.all(installed);
  return { id, name, kind, what, settings, versions: versions.join(', ') };
}

function serviceVersion(): string {
  const commit = currentCommit();
  return commit === undefined ? packageJson.version : `${packageJson.version} (${commit})`;
}

function outputOf(command: string[]): string {
  const { stdout, stderr } = Bun.spawnSync(command, { stdio: ['ignore', 'pipe', 'pipe'] });
  return `${stdout.toString()}${stderr.toString()}`.trim();
}
