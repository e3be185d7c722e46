import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'petstore-sandbox-';

/** Makes a folder whose name tells which process it belongs to. */
export function makeSandboxFolder(): string {
  return mkdtempSync(join(tmpdir(), `${prefix}${processSpace()}-${process.pid}-`));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Removes what sandboxes left behind that were killed. Another user's folders are not ours to remove. */
export function removeLeftovers(): void {
  const ours = new RegExp(`^${prefix}${processSpace()}-(\\d+)-`);
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = ours.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const folder = join(tmpdir(), name);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (!found?.isDirectory() || found.uid !== process.getuid?.()) continue;
    try {
      removeFolder(folder);
    } catch {
      // Another sandbox removes it at the same time, or the next one will.
    }
  }
}

/** Processes of two containers may share a temporary folder, but not their numbers. Linux names the space of the numbers. */
function processSpace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
