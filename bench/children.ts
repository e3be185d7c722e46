import { familyOf } from './process-figures.ts';

const running = new Set<Bun.Subprocess>();

/** Remembers a process until it ends, so that a run that is cut off can end it. */
export function started<Child extends Bun.Subprocess>(child: Child): Child {
  running.add(child);
  void child.exited.then(() => running.delete(child));
  return child;
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
