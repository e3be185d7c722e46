import { familyOf } from '../test/support/process/process-figures.ts';

const running = new Set<Bun.Subprocess>();

/** Remembers a process until it ends, so that a run that is cut off can end it. */
export function started<Child extends Bun.Subprocess>(child: Child): Child {
  running.add(child);
  void child.exited.then(() => running.delete(child));
  return child;
}

/** Runs a command to its end; fails with what it said when that was bad. */
export async function run(command: string[], cwd = '.'): Promise<void> {
  const child = started(Bun.spawn(command, { cwd, stdio: ['ignore', 'pipe', 'pipe'] }));
  const [output, complaints, status] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (status !== 0) throw new Error(`${command.join(' ')} failed:\n${output}${complaints}`);
}

/** For an end that leaves no time for anything else. */
export function killChildren(): void {
  for (const child of running) killFamily(child);
}

/** With the processes that it has started itself. */
export function killFamily(child: Bun.Subprocess): void {
  if (child.exitCode !== null) return;
  for (const pid of familyOf(child.pid)) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
