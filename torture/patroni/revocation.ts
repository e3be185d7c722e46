import { runCli, type Service } from '../../test/process.ts';
import { issueKey } from '../issue-key.ts';

/** How long a check waits for what should have happened within a second. */
export const patienceMs = 15_000;

/** How long the slowest replica takes to follow, after the command has ended; Infinity past the patience. */
export interface KeyDelays {
  newMs: number;
  revokedMs: number;
}

/** Makes a key beside the replicas and revokes it again. */
export async function measureKeys(databaseUrl: string, replicas: readonly Service[]): Promise<KeyDelays> {
  const { id, key } = await issueKey(databaseUrl);
  const untilAll = async (status: number): Promise<number> => {
    const times = await Promise.all(replicas.map((replica) => untilStatus(replica, key, status)));
    return Math.max(...times);
  };
  const newMs = await untilAll(200);
  const { status, stderr } = await runCli(['keys', 'revoke', id, '--database-url', databaseUrl]);
  if (status !== 0) throw new Error(`keys revoke failed: ${stderr}`);
  return { newMs, revokedMs: await untilAll(401) };
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
