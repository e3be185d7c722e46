import { mkdirSync, writeFileSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { sendSignal } from '../../test/support/process/process.ts';
import { startProgram } from '../support/program.ts';
import { etcdAddress, wholeNetwork, type Machine, type Network } from './network.ts';
import { patroniCommand, postgresBinaries } from './programs.ts';

export const superuser = { username: 'petstore', password: 'password-of-the-torture' };
const replicator = { username: 'replicator', password: 'password-of-the-torture' };

/** What all nodes agree on. The times are Patroni's defaults, because those are what people run. */
export interface Agreement {
  /** Whether an acknowledged write is on a standby, too. */
  isSynchronous: boolean;
}

/** One machine with Patroni and the PostgreSQL that it looks after. */
export interface Node {
  machine: Machine;
  start(): void;
  /** Ends Patroni, PostgreSQL or both with no chance to react; Patroni stays down until `start`. */
  kill(what: Part): void;
  /** Stops the processes as a machine that hangs does: their sockets stay open, and nothing answers. */
  freeze(what: Part): void;
  wake(): void;
}

export type Part = 'Patroni' | 'PostgreSQL' | 'both';

export async function makeNode(
  machine: Machine,
  network: Network,
  folder: string,
  agreement: Agreement,
): Promise<Node> {
  const { uid, gid } = owner();
  const home = join(folder, machine.name);
  mkdirSync(home, { mode: 0o700 });
  const file = join(home, 'patroni.yml');
  // JSON is YAML, too.
  writeFileSync(file, JSON.stringify(configuration(machine, home, agreement), null, 2), { mode: 0o600 });
  for (const path of [home, file]) await chown(path, uid, gid);
  const asOwner = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];

  const pidsOf = (what: Part): number[] => {
    const servers = network.pids(machine, 'postgres');
    const isServer = new Set(servers);
    const others = network.pids(machine).filter((pid) => !isServer.has(pid));
    return { Patroni: others, PostgreSQL: servers, both: [...others, ...servers] }[what];
  };
  const signal = (what: Part, name: NodeJS.Signals): void =>
    pidsOf(what).forEach((pid) => sendSignal(pid, name));

  return {
    machine,
    start() {
      const command = network.on(machine, [...asOwner, ...patroniCommand(), file]);
      startProgram(command, join(home, 'patroni.log'), { cwd: home });
    },
    kill: (what) => signal(what, 'SIGKILL'),
    freeze: (what) => signal(what, 'SIGSTOP'),
    wake: () => signal('both', 'SIGCONT'),
  };
}

function configuration(machine: Machine, home: string, { isSynchronous }: Agreement) {
  const { name, address } = machine;
  return {
    scope: 'petstore',
    name,
    restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
    etcd3: { hosts: [`${etcdAddress}:2379`] },
    bootstrap: {
      dcs: {
        ttl: 30,
        loop_wait: 10,
        retry_timeout: 10,
        maximum_lag_on_failover: 1048576,
        synchronous_mode: isSynchronous,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 200, shared_buffers: '32MB' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: `${address}:5432`,
      connect_address: `${address}:5432`,
      data_dir: join(home, 'data'),
      pgpass: join(home, 'pgpass'),
      bin_dir: postgresBinaries(),
      authentication: { superuser, replication: replicator, rewind: superuser },
      pg_hba: [
        'local all all scram-sha-256',
        `host all all ${wholeNetwork} scram-sha-256`,
        `host replication all ${wholeNetwork} scram-sha-256`,
      ],
      parameters: { unix_socket_directories: home },
    },
    // A watchdog would restart the computer that the test runs on.
    watchdog: { mode: 'off' },
  };
}

/** PostgreSQL refuses to run as root; Debian's package brings this user. */
function owner(): { uid: number; gid: number } {
  const idOf = (flag: string) => Number(Bun.spawnSync(['id', flag, 'postgres']).stdout.toString());
  return { uid: idOf('-u'), gid: idOf('-g') };
}
