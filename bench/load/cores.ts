import { readFileSync } from 'node:fs';

/** The server and the load generator run on different cores, unless there are too few. */
export function coreLayout(serverCores: number): Record<'server' | 'load', number[]> {
  const allowed = allowedCores();
  const load = allowed.slice(serverCores);
  return { server: allowed.slice(0, serverCores), load: load.length === 0 ? allowed : load };
}

export function pin(cores: readonly number[], command: string[]): string[] {
  return Bun.which('taskset') ? ['taskset', '-c', cores.join(','), ...command] : command;
}

/** Pins a running process. Its future children inherit the cores. */
export function pinRunning(pid: number, cores: readonly number[]): void {
  Bun.spawnSync(['taskset', '-a', '-c', '-p', cores.join(','), String(pid)]);
}

let allowedAtStart: number[] | undefined;

/** The cores this process was started with, which in a container are fewer than the machine has. */
function allowedCores(): number[] {
  const status = readFileSync('/proc/self/status', 'utf8');
  const [, list = '0'] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status) ?? [];
  allowedAtStart ??= list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  return allowedAtStart;
}
