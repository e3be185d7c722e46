import { readdirSync, readFileSync } from 'node:fs';

interface ProcessLine {
  pid: number;
  parent: number;
  isZombie: boolean;
}

/** The running children of a process. */
export function childrenOf(pid: number): number[] {
  return processes()
    .filter(({ parent, isZombie }) => parent === pid && !isZombie)
    .map((line) => line.pid);
}

/** The running children of a process and all of theirs, parents first. */
export function descendantsOf(pid: number): number[] {
  const children = childrenOf(pid);
  return children.concat(children.flatMap(descendantsOf));
}

/** A process that nobody has waited for yet is as good as gone. */
export function isRunning(pid: number): boolean {
  return processes().some((line) => line.pid === pid && !line.isZombie);
}

function processes(): ProcessLine[] {
  return process.platform === 'linux' ? processesOfLinux() : processesOfPs();
}

/** From /proc, since small images come without `ps`. */
function processesOfLinux(): ProcessLine[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, 'latin1');
        // The command name before the last bracket may hold anything, spaces and brackets too.
        const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
        return [{ pid: Number(name), parent: Number(parent), isZombie: state === 'Z' || state === 'X' }];
      } catch {
        // It ended between the two looks.
        return [];
      }
    });
}

function processesOfPs(): ProcessLine[] {
  const lines = Bun.spawnSync(['ps', '-A', '-o', 'pid=,ppid=,state=']).stdout.toString().trim().split('\n');
  return lines.map((line) => {
    const [pid, parent, state = ''] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), isZombie: state.startsWith('Z') };
  });
}
