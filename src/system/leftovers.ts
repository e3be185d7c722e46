import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Removes the unfinished files of processes that are gone. The first group of `form` is the id of the process. */
export function removeLeftovers(folder: string, form: RegExp): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(form.exec(name)?.[1]);
    // After a restart of a container, the id may be our own. We have not begun yet.
    if (pid === process.pid || (pid > 0 && !isRunning(pid))) rmSync(join(folder, name), { force: true });
  }
}

/** Whether there is a process with this id, whoever's it is. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
