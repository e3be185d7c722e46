import type { PatroniCluster } from './cluster.ts';
import { etcdAddress } from './network.ts';
import type { Node } from './node.ts';

/** One way of breaking a cluster. */
export interface Fault {
  name: string;
  /** Whether another node has to become the leader before it is healed. */
  movesLeader: boolean;
  /** Breaks it, and gives the way to make it whole again. */
  strike: (cluster: PatroniCluster) => Promise<() => unknown>;
}

/** The leader reaches neither etcd nor the other nodes; its clients and HAProxy reach it as before. */
export const cutOff: Fault = {
  name: 'leader cut off from its cluster',
  movesLeader: true,
  strike: hit(
    'leader',
    ({ machine }, { network, nodes }) => network.block(machine, peersOf(machine.address, nodes)),
    ({ machine }, { network, nodes }) => network.unblock(machine, peersOf(machine.address, nodes)),
  ),
};

const start = (node: Node): void => node.start();
const wake = (node: Node): void => node.wake();

export const faults: readonly Fault[] = [
  stay('switchover', (_, cluster) => cluster.switchOver()),
  move('leader killed', (leader) => leader.kill('both'), start),
  stay("leader's PostgreSQL killed", (leader) => leader.kill('PostgreSQL')),
  move("leader's Patroni killed, PostgreSQL alive", (leader) => leader.kill('Patroni'), start),
  move("leader's PostgreSQL hung", (leader) => leader.freeze('PostgreSQL'), wake),
  move('leader hung', (leader) => leader.freeze('both'), wake),
  {
    ...{ name: 'synchronous standby killed', movesLeader: false },
    strike: hit('synchronousStandby', (standby) => standby.kill('both'), start),
  },
  {
    ...{ name: 'synchronous standby hung', movesLeader: false },
    strike: hit('synchronousStandby', (standby) => standby.freeze('both'), wake),
  },
  move(
    "leader's network unplugged",
    ({ machine }, { network }) => network.unplug(machine),
    ({ machine }, { network }) => network.plugIn(machine),
  ),
  cutOff,
  stay('HAProxy restarted', (_, cluster) => cluster.restartHaproxy()),
  stay('etcd away for 5 s', (_, cluster) => cluster.restartEtcd(5000)),
];

type Act = (node: Node, cluster: PatroniCluster) => unknown;

/** What ends with another leader. */
function move(name: string, act: Act, heal: Act): Fault {
  return { name, movesLeader: true, strike: hit('leader', act, heal) };
}

/** What may leave the leader as it is, and heals by itself. */
function stay(name: string, act: Act): Fault {
  return { name, movesLeader: false, strike: hit('leader', act, () => {}) };
}

function hit(role: 'leader' | 'synchronousStandby', act: Act, heal: Act): Fault['strike'] {
  return async (cluster) => {
    const node = await cluster[role]();
    await act(node, cluster);
    return () => heal(node, cluster);
  };
}

function peersOf(address: string, nodes: readonly Node[]): string[] {
  return [etcdAddress, ...nodes.map(({ machine }) => machine.address).filter((at) => at !== address)];
}
