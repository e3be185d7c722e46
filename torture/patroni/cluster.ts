import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Row } from '../support/judge.ts';
import { shipped } from '../proxies/proxies.ts';
import { startProgram, type Program } from '../support/program.ts';
import { etcdAddress, hubAddress, machines, openNetwork, type Network } from './network.ts';
import { makeNode, superuser, type Agreement, type Node } from './node.ts';

const proxyPort = 5000;

/** Three nodes under Patroni, etcd and HAProxy. */
export interface PatroniCluster extends AsyncDisposable {
  network: Network;
  nodes: readonly Node[];
  /** The address of the service's database, through HAProxy. */
  address: string;
  leader(): Promise<Node>;
  /** The standby without which nothing is acknowledged. */
  synchronousStandby(): Promise<Node>;
  /** Asks Patroni to make another node the leader. */
  switchOver(): Promise<void>;
  restartHaproxy(): Promise<void>;
  restartEtcd(downMs: number): Promise<void>;
  /** Resolves once all three nodes follow one leader on one timeline. */
  untilHealthy(withinMs?: number): Promise<void>;
  /** Everything that the leader holds. */
  rows(): Promise<Row[]>;
}

export async function openPatroniCluster(agreement: Agreement): Promise<PatroniCluster> {
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'petstore-patroni-'));
  chmodSync(folder, 0o711);
  parts.defer(async () => void (await Bun.$`rm -rf ${folder}`));
  const network = parts.use(openNetwork(folder));
  let etcd = startEtcd(folder);
  parts.defer(() => etcd.stop('SIGKILL'));
  await etcd.untilReady(isEtcdHealthy);
  const nodes = await Promise.all(machines.map((machine) => makeNode(machine, network, folder, agreement)));
  nodes.forEach((node) => node.start());
  let haproxy = startHaproxy(folder);
  parts.defer(() => haproxy.stop('SIGKILL'));

  const nodeIn = async (...roles: string[]): Promise<Node> => {
    for (let looks = 0; looks < 240; looks++) {
      const member = (await askMembers()).find(({ role }) => roles.includes(role));
      const node = nodes.find(({ machine }) => machine.name === member?.name);
      if (node) return node;
      await Bun.sleep(250);
    }
    throw new Error(`No node was ${roles.join(' or ')} for a minute.`);
  };
  const leader = () => nodeIn('leader');

  const untilHealthy: PatroniCluster['untilHealthy'] = async (withinMs = 120_000) => {
    const deadline = performance.now() + withinMs;
    let seen: Member[] = [];
    do {
      seen = await askMembers();
      if (isHealthy(seen, agreement) && (await isLedByProxy())) return;
      await Bun.sleep(250);
    } while (performance.now() < deadline);
    throw new Error(`The cluster is not whole again: ${JSON.stringify(seen)}`);
  };

  const moved = parts.move();
  const { username, password } = superuser;
  return {
    network,
    nodes,
    address: `postgres://${username}:${password}@${hubAddress}:${proxyPort}/postgres?sslmode=disable`,
    leader,
    synchronousStandby: () => nodeIn('sync_standby', 'quorum_standby'),
    async switchOver() {
      const { machine } = await leader();
      const body = JSON.stringify({ leader: machine.name });
      const response = await fetch(`http://${machine.address}:8008/switchover`, { method: 'POST', body });
      if (!response.ok) throw new Error(`Patroni refused the switchover: ${await response.text()}`);
    },
    async restartHaproxy() {
      await haproxy.stop();
      haproxy = startHaproxy(folder);
    },
    async restartEtcd(downMs) {
      await etcd.stop('SIGKILL');
      await Bun.sleep(downMs);
      etcd = startEtcd(folder);
      await etcd.untilReady(isEtcdHealthy);
    },
    untilHealthy,
    async rows() {
      const { machine } = await leader();
      return query<Row>(
        machine.address,
        5432,
        "SELECT id::text AS id, json::json ->> 'name' AS name FROM pets",
      );
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** Where Patroni keeps who leads. One is enough: what happens when it is away is one of the faults. */
function startEtcd(folder: string): Program {
  const url = `http://${etcdAddress}:2379`;
  return startProgram(
    [
      'etcd',
      ...['--data-dir', join(folder, 'etcd'), '--listen-client-urls', url, '--advertise-client-urls', url],
      ...['--listen-peer-urls', `http://${etcdAddress}:2380`, '--log-level', 'error'],
    ],
    join(folder, 'etcd.log'),
    // etcd before 3.5 starts on this architecture only when it is told that nobody has promised anything.
    process.arch === 'arm64' ? { env: { ETCD_UNSUPPORTED_ARCH: 'arm64' } } : {},
  );
}

async function isEtcdHealthy(): Promise<boolean> {
  return (await fetch(`http://${etcdAddress}:2379/health`)).ok;
}

/** The shipped configuration with the addresses of the machines. */
function startHaproxy(folder: string): Program {
  const file = join(folder, 'haproxy.cfg');
  const addresses = machines.map(({ address }, index) => [`10.0.0.${11 + index}:`, `${address}:`]);
  const bound = { '127.0.0.1:5432': `${hubAddress}:${proxyPort}`, ...Object.fromEntries(addresses) };
  writeFileSync(file, shipped('haproxy/postgres.cfg', bound));
  return startProgram(['haproxy', '-db', '-f', file], join(folder, 'haproxy.log'));
}

/** A node as Patroni sees it. */
interface Member {
  name: string;
  role: string;
  state: string;
  timeline: number;
}

/** Who is cut off still believes what was true before; the newest timeline knows better. */
async function askMembers(): Promise<Member[]> {
  const views = await Promise.all(machines.map(({ address }) => askPatroni(address).catch(() => [])));
  const timelineOf = (view: Member[]) => Math.max(0, ...view.map(({ timeline }) => timeline || 0));
  return views.reduce((newest, view) => (timelineOf(view) > timelineOf(newest) ? view : newest));
}

function isHealthy(members: Member[], { isSynchronous }: Agreement): boolean {
  const count = (...roles: string[]) => members.filter(({ role }) => roles.includes(role)).length;
  return (
    members.length === machines.length &&
    count('leader') === 1 &&
    (!isSynchronous || count('sync_standby', 'quorum_standby') > 0) &&
    members.every(({ role, state }) => state === (role === 'leader' ? 'running' : 'streaming')) &&
    new Set(members.map(({ timeline }) => timeline)).size === 1
  );
}

async function askPatroni(address: string): Promise<Member[]> {
  const response = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(2000) });
  return ((await response.json()) as { members: Member[] }).members;
}

async function isLedByProxy(): Promise<boolean> {
  try {
    const [server] = await query<{ standby: boolean }>(
      hubAddress,
      proxyPort,
      'SELECT pg_is_in_recovery() AS standby',
    );
    return server?.standby === false;
  } catch {
    return false;
  }
}

async function query<Found extends object>(host: string, port: number, sql: string): Promise<Found[]> {
  const { username: user, password } = superuser;
  const client = new Client({
    user,
    password,
    host,
    port,
    database: 'postgres',
    connectionTimeoutMillis: 3000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query<Found>(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
