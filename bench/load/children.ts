import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { familyOf } from '../../test/support/process/process-figures.ts';

const children = new Set<Bun.Subprocess>();
const folders = new Set<string>();

/** An interrupted run leaves no process and no folder behind. */
export function cleanUpWhenInterrupted(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  process.on('exit', () => {
    for (const child of children) endFamily(child);
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
}

/** Registers a process until it ends. */
export function started<Child extends Bun.Subprocess>(child: Child): Child {
  children.add(child);
  void child.exited.then(() => children.delete(child));
  return child;
}

/** Runs a command to its end and returns what it printed. */
export async function run(command: string[], stdin?: ReadableStream<string>, cwd = '.'): Promise<string> {
  const child = started(
    Bun.spawn(command, { stdin: stdin ?? 'ignore', stdout: 'pipe', stderr: 'pipe', cwd }),
  );
  const output = Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const [stdout, stderr, status] = await output;
  if (status !== 0) throw new Error(`${command.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}

/** Kills a process and all that it started. */
export function endFamily(child: Bun.Subprocess): void {
  if (child.exitCode !== null) return;
  for (const pid of familyOf(child.pid)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

export function makeFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  folders.add(path);
  return {
    path,
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true });
      folders.delete(path);
    },
  };
}
