import { readFileSync } from 'node:fs';

/** Which cores the server and the load generator run on. */
export interface CoreLayout {
  server: number[];
  load: number[];
}

export function coreLayout(serverCores: number, allowed: readonly number[] = allowedCores()): CoreLayout {
  const server = allowed.slice(0, serverCores);
  const load = allowed.slice(serverCores);
  // With too few cores to keep the two apart, they share all.
  return { server, load: load.length === 0 ? [...allowed] : load };
}

/** Without taskset nothing is pinned; a run that is to be believed refuses to start then. */
export function pin(cores: readonly number[], command: string[]): string[] {
  return Bun.which('taskset') ? ['taskset', '-c', cores.join(','), ...command] : command;
}

/** The cores that this process may use, which in a container are fewer than the machine has. */
function allowedCores(): number[] {
  const status = readFileSync('/proc/self/status', 'utf8');
  const [, list = '0'] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status) ?? [];
  return list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
