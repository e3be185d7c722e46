import { Client } from 'pg';
import type { Cluster } from './cluster.ts';

/** Notes each statement that waits for a row which another transaction holds. At slow commits, such waits are long. */
export interface LockWaits extends AsyncDisposable {
  readonly waits: string[];
  /** How often the server was asked. */
  readonly samples: number;
  stop(): Promise<void>;
}

export function watchForLockWaits(cluster: Cluster): LockWaits {
  const client = new Client(cluster.address());
  const stopping = new AbortController();
  const waits: string[] = [];
  let samples = 0;
  const watching = (async () => {
    await client.connect();
    while (!stopping.signal.aborted) {
      const { rows } = await client.query<{ query: string }>(
        "SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event IN ('tuple', 'transactionid')",
      );
      waits.push(...rows.map(({ query }) => query));
      samples += 1;
      await Bun.sleep(10);
    }
    await client.end();
  })();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await watching;
  };
  return {
    waits,
    get samples() {
      return samples;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
