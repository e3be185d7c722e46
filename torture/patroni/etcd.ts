import { join } from 'node:path';
import { startProgram, type Program } from '../support/program.ts';
import { etcdAddress } from './network.ts';

/** Where Patroni keeps who leads. One is enough: what happens when it is away is one of the faults. */
export function startEtcd(folder: string): Program {
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

export async function isEtcdHealthy(): Promise<boolean> {
  return (await fetch(`http://${etcdAddress}:2379/health`)).ok;
}
