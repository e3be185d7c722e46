import { openConnection, type RawConnection } from '../../test/support/http/raw-http.ts';
import { fixedKey } from '../../test/support/process/process.ts';

/** Callers who do nothing wrong while others do: how are they served? */
export interface Honest {
  latenciesMs: number[];
  failures: string[];
  stop(): Promise<void>;
}

export interface HonestOptions {
  url: string;
  /** What they read. */
  path?: string;
  callers?: number;
  pauseMs?: number;
}

/** Reads and creates in turn, on connections that are renewed now and then. */
export function startHonest({ url, path = '/v1/pets', callers = 8, pauseMs = 20 }: HonestOptions): Honest {
  const latenciesMs: number[] = [];
  const failures: string[] = [];
  const stopping = new AbortController();

  const call = async (connection: RawConnection | undefined, count: number): Promise<boolean> => {
    if (!connection) {
      failures.push('no connection');
      return false;
    }
    const isCreate = count % 4 === 0;
    const body = JSON.stringify({ name: `honest ${count}`, categoryId: count });
    const response = await connection.send(isCreate ? 'POST' : 'GET', isCreate ? '/v1/pets' : path, {
      key: fixedKey,
      ...(isCreate && { body }),
    });
    const isGood = typeof response !== 'string' && response.status < 400;
    if (!isGood) failures.push(typeof response === 'string' ? response : String(response.status));
    return isGood && response.headers.get('Connection') !== 'close';
  };

  const running = Array.from({ length: callers }, async () => {
    let connection: RawConnection | undefined;
    for (let count = 0; !stopping.signal.aborted; count++) {
      const startedAt = performance.now();
      connection ??= await openConnection(url);
      const mayStay = await call(connection, count);
      latenciesMs.push(performance.now() - startedAt);
      if (!mayStay || count % 20 === 19) {
        connection?.[Symbol.dispose]();
        connection = undefined;
      }
      await Bun.sleep(pauseMs);
    }
    connection?.[Symbol.dispose]();
  });
  return {
    latenciesMs,
    failures,
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
