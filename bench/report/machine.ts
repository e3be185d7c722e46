import { cpus, release, totalmem } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import { currentCommit } from '../../test/support/commit.ts';
import { coreLayout } from '../load/processes.ts';
import type { Results } from './results.ts';

export function describeMachine(): Results['machine'] {
  const { server, load } = coreLayout();
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

function serviceVersion(): string {
  const commit = currentCommit();
  return commit === undefined ? packageJson.version : `${packageJson.version} (${commit})`;
}

function outputOf(command: string[]): string {
  const { stdout, stderr } = Bun.spawnSync(command, { stdio: ['ignore', 'pipe', 'pipe'] });
  return `${stdout.toString()}${stderr.toString()}`.trim();
}
