import { runCli, type Service } from '../../test/process.ts';
import { issueKey } from '../issue-key.ts';

/** How long a check waits for what should have happened within a second. */
const patienceMs = 15_000;

/**
 * Makes a key beside the replicas and revokes it again: how long the slowest of them still accepts it, in milliseconds
 * after the command has said that it is revoked. Infinity when one never took note within the patience.
 */
export async function measureRevocation(databaseUrl: string, replicas: readonly Service[]): Promise<number> {
  const { id, key } = await issueKey(databaseUrl);
  const untilAll = async (status: number): Promise<number> => {
    const times = await Promise.all(replicas.map((replica) => untilStatus(replica, key, status)));
    return Math.max(...times);
  };
  if (!Number.isFinite(await untilAll(200))) return Infinity;
  const { status, stderr } = await runCli(['keys', 'revoke', id, '--database-url', databaseUrl]);
  if (status !== 0) throw new Error(`keys revoke failed: ${stderr}`);
  return untilAll(401);
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
