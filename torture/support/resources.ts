import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of a process, in MiB. */
export function memoryMb(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

export function descriptorCount(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Least squares: by how much a value grows from one sample to the next. */
export function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let along = 0;
  let spread = 0;
  values.forEach((value, index) => {
    along += (index - middle) * (value - mean);
    spread += (index - middle) ** 2;
  });
  return spread === 0 ? 0 : along / spread;
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
