import { chmodSync } from 'node:fs';
import { chown, copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCluster, withoutDurability, type Cluster } from './cluster.ts';

/** A server that speaks TLS, with the certificate of the tests; it is to be started. */
export async function makeTlsCluster(settings: Record<string, string> = {}): Promise<Cluster> {
  const cluster = await makeCluster({ ...withoutDurability, ssl: 'on', ...settings });
  // PostgreSQL refuses a key that others could read.
  const { uid, gid } = await stat(cluster.dataFolder);
  for (const [from, to] of [
    ['localhost.pem', 'server.crt'],
    ['localhost-key.pem', 'server.key'],
  ] as const) {
    const path = join(cluster.dataFolder, to);
    await copyFile(join(import.meta.dir, '../../fixtures', from), path);
    await chown(path, uid, gid);
    chmodSync(path, 0o600);
  }
  return cluster;
}
