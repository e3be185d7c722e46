import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess } from '../../test/support/process/process.ts';
import { familyOf } from '../../test/support/process/process-figures.ts';

const children = new Set<Bun.Subprocess>();
const folders = new Set<string>();

/** An interrupted run leaves no process and no folder behind. */
export function cleanUpWhenInterrupted(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  process.on('exit', () => {
    children.forEach(endFamily);
    folders.forEach(removeFolder);
  });
}

/** Registers a process until it ends. */
export function started<Child extends Bun.Subprocess>(child: Child): Child {
  children.add(child);
  void child.exited.then(() => children.delete(child));
  return child;
}

/** Runs a command to its end and returns what it printed. */
export async function run(command: string[], options: { cwd?: string } = {}): Promise<string> {
  const child = started(Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', ...options }));
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (child.exitCode === 0) return stdout;
  throw new Error(`${command.join(' ')} failed:\n${stdout}${stderr}`);
}

/** Brings a file into the machine's memory. */
export async function readOnce(path: string): Promise<void> {
  await run(['dd', `if=${path}`, 'of=/dev/null', 'bs=1M', 'status=none']);
}

/** The opposite: the next read of the file goes to the disk. */
export async function dropFromMemory(path: string): Promise<void> {
  await run(['dd', `if=${path}`, 'iflag=nocache', 'count=0', 'status=none']);
}

/** Kills a process and all that it started. */
export function endFamily(child: Bun.Subprocess): void {
  if (child.exitCode === null) familyOf(child.pid).forEach(endProcess);
}

export function makeFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  folders.add(path);
  return { path, [Symbol.dispose]: () => removeFolder(path) };
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
  folders.delete(path);
}

/** The cores this process was started with, which in a container are fewer than the machine has. */
const allowedCores = allowedList().flatMap((part) => {
  const [first = 0, last = first] = part.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
});

function allowedList(): string[] {
  if (process.platform !== 'linux') return ['0'];
  const status = readFileSync('/proc/self/status', 'utf8');
  return /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1]?.split(',') ?? ['0'];
}

/** The server and the load generator run on different cores, unless there are too few. */
export function coreLayout(): Record<'server' | 'load', number[]> {
  const load = allowedCores.slice(1);
  return { server: allowedCores.slice(0, 1), load: load.length === 0 ? allowedCores : load };
}

export function pin(cores: readonly number[], command: string[]): string[] {
  return Bun.which('taskset') ? ['taskset', '-c', cores.join(','), ...command] : command;
}

/** Pins a running process. Its future children inherit the cores. */
export function pinRunning(pid: number, cores: readonly number[]): void {
  Bun.spawnSync(['taskset', '-a', '-c', '-p', cores.join(','), String(pid)]);
}
