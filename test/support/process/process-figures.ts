import { readFileSync } from 'node:fs';
import { childrenOf } from './process-tree.ts';

/** Linux counts processor time in hundredths of a second for every program. */
const ticksPerSecond = 100;

export function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)];
}

/** Seconds of processor time that these processes have used, all threads counted. */
export function cpuSeconds(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name before the last bracket may hold anything, spaces and brackets too.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, value) => sum + value, 0) / ticksPerSecond;
}

/** Seconds of processor time that everything on the machine has used, with what its host took away. */
export function machineCpuSeconds(): number {
  const [, line = ''] = /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'latin1')) ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = line.split(' ').map(Number);
  return (user + nice + system + irq + softIrq + steal) / ticksPerSecond;
}

/** The largest resident memory that any one of these processes has had. */
export function peakMemoryMb(pids: readonly number[]): number {
  const sizes = pids.map((pid) => {
    const [, kilobytes = '0'] =
      /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  });
  return Math.max(...sizes);
}
