import { openCaller } from '../../test/support/http/raw-http.ts';
import { fixedKey } from '../../test/support/process/process.ts';

/**
 * Callers that do not wait their turn: every connection sends the next request as soon as the last one has its response,
 * and one that gets none in time is given up and opened anew.
 */
export interface FloodOptions {
  connections: number;
  seconds: number;
  /** Requests per second over all connections; as many as there can be when it is left out. */
  rate?: number;
  /** One request in so many is a create. */
  createEvery: number;
  /** A caller waits this long for a response. */
  patienceMs: number;
}

export interface FloodSecond {
  useful: number;
  /** 503, which asks the caller to come again. */
  refused: number;
  /** Anything else. */
  wrong: number;
  failed: number;
}

/** Runs the flood to its end, in a process of its own; `onSecond` sees each second as it passes. */
export async function runFlood(
  url: string,
  options: FloodOptions,
  onSecond: (second: FloodSecond, passed: number) => void = () => {},
): Promise<FloodSecond[]> {
  const child = Bun.spawn(
    [process.execPath, import.meta.path, url, JSON.stringify({ ...options, key: fixedKey })],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      ipc: (second: FloodSecond) => onSecond(second, seconds.push(second)),
      timeout: (options.seconds + 60) * 1000,
      killSignal: 'SIGKILL',
    },
  );
  const seconds: FloodSecond[] = [];
  await child.exited;
  return seconds;
}

/** Useful responses a second, without the first seconds in which connections are opened. */
export function usefulPerSecond(seconds: readonly FloodSecond[]): number {
  const counted = seconds.slice(Math.min(2, seconds.length - 1));
  return counted.reduce((sum, { useful }) => sum + useful, 0) / counted.length;
}

if (import.meta.main) await flood(process.argv[2] ?? '', JSON.parse(process.argv[3] ?? ''));

async function flood(url: string, options: FloodOptions & { key: string }): Promise<never> {
  const { key, connections, seconds, rate, createEvery, patienceMs } = options;
  const nothing: FloodSecond = { useful: 0, refused: 0, wrong: 0, failed: 0 };
  let second = { ...nothing };
  const pauseMs = rate === undefined ? 0 : (1000 * connections) / rate;
  const body = JSON.stringify({ name: 'flood', categoryId: 1 });
  const call = async (number: number): Promise<void> => {
    const caller = openCaller({ url: () => url, patienceMs, how: 'exchange' });
    let dueAt = performance.now() + (pauseMs * number) / connections;
    for (let turn = number; ; turn++) {
      const response =
        turn % createEvery === 0
          ? await caller.send('POST', '/v1/pets', { key, body })
          : await caller.send('GET', '/v1/pets?limit=20', { key });
      if (typeof response === 'string') second.failed += 1;
      else if (response.status < 400) second.useful += 1;
      else if (response.status === 503) second.refused += 1;
      else second.wrong += 1;
      if (typeof response === 'string') await Bun.sleep(50);
      // Whoever is late catches up on a second at most.
      dueAt = Math.max(dueAt + pauseMs, performance.now() - 1000);
      if (dueAt > performance.now()) await Bun.sleep(dueAt - performance.now());
    }
  };
  for (let number = 0; number < connections; number++) void call(number);
  for (let passed = 0; passed < seconds; passed++) {
    await Bun.sleep(1000);
    process.send?.(second);
    second = { ...nothing };
  }
  process.exit();
}
