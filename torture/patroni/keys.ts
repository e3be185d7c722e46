import type { Service } from '../../test/support/process/process.ts';
import { issueKey, succeed } from '../support/commands.ts';

/** How long a check waits for what should have happened within a second. */
export const patienceMs = 15_000;

/** How long the slowest replica takes to follow, after the command has ended; Infinity past the patience. */
export interface KeyDelays {
  newMs: number;
  revokedMs: number;
}

/** Makes a key that all replicas know; later it is revoked, another one is made, and both are waited for. */
export async function prepareKeys(
  databaseUrl: string,
  replicas: readonly Service[],
): Promise<() => Promise<KeyDelays>> {
  const untilAll = async (key: string, status: number): Promise<number> => {
    const times = await Promise.all(replicas.map((replica) => untilStatus(replica, key, status)));
    return Math.max(...times);
  };
  const old = await issueKey(databaseUrl);
  if ((await untilAll(old.key, 200)) === Infinity) throw new Error('A new key is not accepted.');
  return async () => {
    await succeed(['keys', 'revoke', old.id, '--database-url', databaseUrl]);
    const revokedMs = await untilAll(old.key, 401);
    const { key } = await issueKey(databaseUrl);
    return { revokedMs, newMs: await untilAll(key, 200) };
  };
}

async function untilStatus(replica: Service, key: string, status: number): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < patienceMs) {
    const response = await fetch(`${replica.url}/v1/pets?limit=1`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    if (response.status === status) return performance.now() - startedAt;
    await Bun.sleep(25);
  }
  return Infinity;
}
