import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess, sendSignal } from '../../test/support/process/process.ts';
import { childrenOf, isRunning } from '../../test/support/process/process-tree.ts';

/**
 * Where a run keeps everything it makes. At its end, also when it is told to stop in the middle, whatever the tests
 * have left is ended, unmounted and removed.
 */
export function openPlace(): Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-torture-'));
  // A database server that must not run as root gets its own folder in here.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  return {
    [Symbol.dispose]() {
      const ended = childrenOf(process.pid).flatMap(endFamily);
      // Until they are gone, they hold their files.
      for (let looks = 0; looks < 500 && ended.some(isRunning); looks++) Bun.sleepSync(10);
      for (const mounted of mountsUnder(folder)) Bun.spawnSync(['umount', '--lazy', mounted]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A parent that sees its child die would start another, so it is held first. */
function endFamily(pid: number): number[] {
  sendSignal(pid, 'SIGSTOP');
  const children = childrenOf(pid).flatMap(endFamily);
  endProcess(pid);
  return [pid, ...children];
}

function mountsUnder(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  const lines = readFileSync('/proc/self/mounts', 'utf8').trim().split('\n');
  return lines.map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(`${folder}/`));
}
