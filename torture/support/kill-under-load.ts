import type { Service } from '../../test/support/process/process.ts';
import { childrenOf, isRunning } from '../../test/support/process/process-tree.ts';
import { type Random, between } from '../../test/support/random.ts';
import { serve } from './serve.ts';

export const victims = ['process', 'worker', 'parent'] as const;
export type Victim = (typeof victims)[number];

/** So many kills share a store at most; reading it back whole stays quick. */
const maxKillsPerStore = 10;

/** Clients that keep a service busy. */
export interface KilledLoad {
  untilAcknowledged(count: number): Promise<boolean>;
  stop(): Promise<void>;
}

export interface Life {
  databaseUrl: string;
  victim: Victim;
  /** How many kills. */
  count: number;
  random: Random;
  /** How long each start took. */
  restartsMs: number[];
  program: string | undefined;
}

/** Divides kills among stores and victims. */
export function* planLives(kills: number): Generator<{ victim: Victim; count: number }> {
  const killsPerStore = Math.min(maxKillsPerStore, Math.ceil(kills / victims.length));
  for (let done = 0, store = 0; done < kills; done += killsPerStore, store++) {
    yield { victim: victims[store % victims.length]!, count: Math.min(killsPerStore, kills - done) };
  }
}

/** Kills a service again and again while clients use it. Between a kill and the next start, `onKilled` may read its store. */
export async function killUnderLoad<Kind extends KilledLoad>(
  life: Life,
  startLoad: (url: () => string) => Kind,
  onKilled: (load: Kind) => void,
): Promise<Kind> {
  const { databaseUrl, victim, count, random, restartsMs, program } = life;
  const start = async (): Promise<Service> => {
    const startedAt = performance.now();
    const started = await serve({ databaseUrl, workers: victim === 'process' ? 1 : 2, program });
    restartsMs.push(performance.now() - startedAt);
    return started;
  };
  let service = await start();
  const load = startLoad(() => service.url);
  try {
    for (let kill = 0; kill < count; kill++) {
      await load.untilAcknowledged(between(random, 10, 80));
      if (victim === 'worker') {
        await killWorker(service, random);
        continue;
      }
      await service.kill9();
      await service[Symbol.asyncDispose]();
      onKilled(load);
      service = await start();
    }
    await load.untilAcknowledged(10);
    await load.stop();
  } finally {
    await service[Symbol.asyncDispose]();
  }
  return load;
}

async function killWorker(service: Service, random: Random): Promise<void> {
  let workers = childrenOf(service.pid);
  while (workers.length < 2) {
    await Bun.sleep(5);
    workers = childrenOf(service.pid);
  }
  const victim = random.pick(workers);
  process.kill(victim, 'SIGKILL');
  while (isRunning(victim)) await Bun.sleep(2);
}
