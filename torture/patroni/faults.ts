import type { PatroniCluster } from './cluster.ts';
import { etcdAddress } from './network.ts';
import type { Part } from './node.ts';

/** One way of breaking a cluster. */
export interface Fault {
  name: string;
  /** Whether another node has to become the leader before it is healed. */
  movesLeader: boolean;
  /** Breaks it, and gives the way to make it whole again. */
  strike: (cluster: PatroniCluster) => Promise<Heal>;
}

type Heal = () => Promise<void> | void;

const nothingToHeal: Heal = () => {};

/** The leader reaches neither etcd nor the other nodes; its clients and HAProxy reach it as before. */
export const cutOff: Fault = {
  name: 'leader cut off from its cluster',
  movesLeader: true,
  async strike(cluster) {
    const { machine } = await cluster.leader();
    const others = cluster.nodes.map((node) => node.machine.address).filter((at) => at !== machine.address);
    cluster.network.block(machine, [etcdAddress, ...others]);
    return () => cluster.network.unblock(machine, [etcdAddress, ...others]);
  },
};

export const faults: readonly Fault[] = [
  {
    name: 'switchover',
    movesLeader: false,
    async strike(cluster) {
      await cluster.switchOver();
      return nothingToHeal;
    },
  },
  { name: 'leader killed', movesLeader: true, strike: killLeader('both') },
  { name: "leader's PostgreSQL killed", movesLeader: false, strike: killLeader('PostgreSQL') },
  { name: "leader's Patroni killed, PostgreSQL alive", movesLeader: true, strike: killLeader('Patroni') },
  { name: "leader's PostgreSQL hung", movesLeader: true, strike: freezeLeader('PostgreSQL') },
  { name: 'leader hung', movesLeader: true, strike: freezeLeader('both') },
  {
    name: 'synchronous standby killed',
    movesLeader: false,
    async strike(cluster) {
      const standby = await cluster.synchronousStandby();
      standby.kill('both');
      return () => standby.start();
    },
  },
  {
    name: 'synchronous standby hung',
    movesLeader: false,
    async strike(cluster) {
      const standby = await cluster.synchronousStandby();
      standby.freeze('both');
      return () => standby.wake();
    },
  },
  {
    name: "leader's network unplugged",
    movesLeader: true,
    async strike(cluster) {
      const { machine } = await cluster.leader();
      cluster.network.unplug(machine);
      return () => cluster.network.plugIn(machine);
    },
  },
  cutOff,
  {
    name: 'HAProxy restarted',
    movesLeader: false,
    async strike(cluster) {
      await cluster.restartHaproxy();
      return nothingToHeal;
    },
  },
  {
    name: 'etcd away for 5 s',
    movesLeader: false,
    async strike(cluster) {
      await cluster.restartEtcd(5000);
      return nothingToHeal;
    },
  },
];

function killLeader(what: Part): Fault['strike'] {
  return async (cluster) => {
    const leader = await cluster.leader();
    leader.kill(what);
    return what === 'PostgreSQL' ? nothingToHeal : () => leader.start();
  };
}

function freezeLeader(what: Part): Fault['strike'] {
  return async (cluster) => {
    const leader = await cluster.leader();
    leader.freeze(what);
    return () => leader.wake();
  };
}
