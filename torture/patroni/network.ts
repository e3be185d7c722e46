import { readFileSync } from 'node:fs';

/** Several machines on one computer: network namespaces around a bridge, each with its own address. */
export interface Network extends Disposable {
  /** The same command, run on a machine. */
  on(machine: Machine, command: string[]): string[];
  /** The processes of a machine; with a name, only those of that program. */
  pids(machine: Machine, program?: string): number[];
  /** Pulls the plug: nothing reaches the machine, and nothing leaves it. */
  unplug(machine: Machine): void;
  plugIn(machine: Machine): void;
  /** Drops what a machine sends to these addresses; everybody else still reaches it. */
  block(machine: Machine, addresses: readonly string[]): void;
  unblock(machine: Machine, addresses: readonly string[]): void;
}

export interface Machine {
  name: string;
  address: string;
}

/** Of a range that RFC 5737 keeps for documentation; a machine that uses it all the same is left alone. */
const subnet = '198.51.100';
const prefix = 'petstore-';
const bridge = `${prefix}hub`;

/** Where the clients, the replicas and the proxy live: the computer itself. */
export const hubAddress = `${subnet}.1`;
/** A second address of the computer, so that a machine can lose etcd and keep its clients. */
export const etcdAddress = `${subnet}.2`;

export const wholeNetwork = `${subnet}.0/24`;

export const machines: readonly Machine[] = [1, 2, 3].map((number) => ({
  name: `node${number}`,
  address: `${subnet}.${10 + number}`,
}));

/** When the run ends without a goodbye, the folder is removed together with the network. */
export function openNetwork(folder: string): Network {
  // Never touch the machine's own network.
  const missing = missingNetwork();
  if (missing !== undefined) throw new Error(missing);
  const watcher = watchOver(process.pid, folder);
  for (const { name } of machines) ip('netns', 'add', prefix + name);
  ip('link', 'add', bridge, 'type', 'bridge');
  for (const address of [hubAddress, etcdAddress]) ip('addr', 'add', `${address}/24`, 'dev', bridge);
  ip('link', 'set', bridge, 'up');
  for (const { name, address } of machines) {
    const inside = ['-n', prefix + name];
    ip('link', 'add', prefix + name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', prefix + name);
    ip('link', 'set', prefix + name, 'master', bridge, 'up');
    ip(...inside, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) ip(...inside, 'link', 'set', device, 'up');
  }
  return {
    on: ({ name }, command) => ['ip', 'netns', 'exec', prefix + name, ...command],
    pids({ name }, program) {
      const pids = ip('netns', 'pids', prefix + name)
        .trim()
        .split('\n')
        .filter(Boolean)
        .map(Number);
      return pids.filter((pid) => program === undefined || programOf(pid) === program);
    },
    unplug: ({ name }) => void ip('link', 'set', prefix + name, 'down'),
    plugIn: ({ name }) => void ip('link', 'set', prefix + name, 'up'),
    block({ name }, addresses) {
      for (const address of addresses) ip('-n', prefix + name, 'route', 'add', 'blackhole', address);
    },
    unblock({ name }, addresses) {
      for (const address of addresses) ip('-n', prefix + name, 'route', 'del', 'blackhole', address);
    },
    [Symbol.dispose]() {
      Bun.spawnSync(['sh', '-c', tearDown]);
      watcher[Symbol.dispose]();
    },
  };
}

/** Why there can be no such network here, and how to change that. */
export function missingNetwork(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces are a feature of Linux';
  if (process.getuid?.() !== 0) return 'network namespaces need root (run it with sudo)';
  if (Bun.which('ip') === null) return 'ip is not installed (apt-get install iproute2)';
  if (Bun.spawnSync(['ip', 'link', 'show', bridge]).success) {
    return `the network ${bridge} of another run is there; wait for the end of that run`;
  }
  if (ip('-4', 'route', 'show', 'table', 'all').includes(`${subnet}.`)) {
    return `this machine itself uses the addresses ${subnet}.0/24, which the test needs`;
  }
  const name = `${prefix}probe`;
  const probe = Bun.spawnSync(['ip', 'netns', 'add', name]);
  if (!probe.success) {
    return `this machine allows no network namespaces (${probe.stderr.toString().trim()}); a container needs --privileged`;
  }
  ip('netns', 'del', name);
  return undefined;
}

const tearDown = `
  for machine in ${machines.map(({ name }) => prefix + name).join(' ')}; do
    for pid in $(ip netns pids "$machine"); do kill -KILL "$pid"; done
    ip netns del "$machine"
    ip link del "$machine"
  done
  ip link del ${bridge}`;

/**
 * PostgreSQL leaves its parent, and a run can be killed: so a shell that is nobody's child watches the run. When it is
 * gone, the shell ends every process of the machines by its id and takes the network down.
 */
function watchOver(pid: number, folder: string): Disposable {
  const script = `(trap '' INT TERM HUP; while [ -d /proc/${pid} ]; do sleep 0.2; done; ${tearDown}; rm -rf "$1") >/dev/null 2>&1 & echo $!`;
  const watcher = Number(Bun.spawnSync(['sh', '-c', script, 'sh', folder]).stdout.toString());
  return { [Symbol.dispose]: () => void process.kill(watcher, 'SIGKILL') };
}

function ip(...args: string[]): string {
  const { success, stdout, stderr } = Bun.spawnSync(['ip', ...args]);
  if (!success) throw new Error(`ip ${args.join(' ')} failed: ${stderr.toString().trim()}`);
  return stdout.toString();
}

function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    // It has ended since the list was made.
    return '';
  }
}
