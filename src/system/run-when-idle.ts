import { ptr } from 'bun:ffi';
import { openLibc } from './libc.ts';

/**
 * Gives a process only the processor time that nobody else wants: whoever else wakes up runs at once. Returns whether
 * it was done. See SCHED_IDLE in sched(7).
 */
export function runWhenIdle(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  const libc = openLibc({ sched_setscheduler: { args: ['i32', 'i32', 'ptr'], returns: 'i32' } });
  if (!libc) return false;
  // A `struct sched_param`; this policy has no other priority than 0.
  const parameter = new Int32Array(1);
  const isDone = libc.symbols.sched_setscheduler(pid, idlePolicy, ptr(parameter)) === 0;
  libc.close();
  return isDone;
}

const idlePolicy = 5;
