import { readdirSync, readFileSync } from 'node:fs';
import { descendantsOf } from './process-tree.ts';

/** Linux counts processor time in hundredths of a second for every program. */
const ticksPerSecond = 100;

export function familyOf(pid: number): number[] {
  return [pid, ...descendantsOf(pid)];
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

/** Bytes that the disk had to deliver to these processes; what was in memory already does not count. */
export function diskReadBytes(pids: readonly number[]): number {
  const bytes = pids.map((pid) =>
    Number(/^read_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0),
  );
  return bytes.reduce((sum, value) => sum + value, 0);
}

/** The largest resident memory that any one of these processes has had. */
export function peakMemoryMb(pids: readonly number[]): number {
  return Math.max(...pids.map((pid) => mebibytes(pid, 'VmHWM')));
}

/** Resident memory of a process. */
export function memoryMb(pid: number): number {
  return mebibytes(pid, 'VmRSS');
}

function mebibytes(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
}

export function descriptorCount(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Waits until a process has no more descriptors than this, or their number no longer falls; gives how many are left. */
export async function settledDescriptors(pid: number, expected: number): Promise<number> {
  let count = descriptorCount(pid);
  for (let fellAt = performance.now(); count > expected && performance.now() - fellAt < 3000;) {
    await Bun.sleep(50);
    const now = descriptorCount(pid);
    if (now < count) fellAt = performance.now();
    count = now;
  }
  return count;
}
