import { sendSignal, type Service } from '../../test/support/process/process.ts';
import { serve } from '../support/serve.ts';

/** Services on one store, each of which keeps its port when it is started again. */
export interface Replicas extends AsyncDisposable {
  ports: readonly number[];
  /** Tells one to stop, and starts it again once it has. */
  restart(index: number): Promise<void>;
  /** Ends one with no chance to react, and starts it again. */
  kill(index: number): Promise<void>;
  /** Stops all of them from responding; connections still succeed. */
  freezeAll(): void;
  /** Ends all of them for good. */
  killAll(): Promise<void>;
}

export interface ReplicaOptions {
  count: number;
  databaseUrl: string;
  stopDelaySeconds: number;
  broken: string | undefined;
}

export async function openReplicas(options: ReplicaOptions): Promise<Replicas> {
  const { count, databaseUrl, stopDelaySeconds, broken } = options;
  const start = (port: number) =>
    serve({ databaseUrl, broken, env: { PORT: String(port), STOP_DELAY: String(stopDelaySeconds) } });
  const services: Service[] = [];
  const close = async (): Promise<void> => {
    for (const service of services) await service[Symbol.asyncDispose]();
  };
  try {
    while (services.length < count) services.push(await start(0));
  } catch (error) {
    await close();
    throw error;
  }
  const ports = services.map(({ url }) => Number(new URL(url).port));

  const replace = async (index: number, end: (service: Service) => Promise<unknown>): Promise<void> => {
    const service = services[index % count];
    if (!service) return;
    await end(service);
    await service[Symbol.asyncDispose]();
    services[index % count] = await start(ports[index % count] ?? 0);
  };
  return {
    ports,
    restart: (index) => replace(index, (service) => service.stop()),
    kill: (index) => replace(index, (service) => service.kill9()),
    freezeAll: () => services.forEach(({ pid }) => sendSignal(pid, 'SIGSTOP')),
    async killAll() {
      for (const service of services) await service.kill9();
    },
    [Symbol.asyncDispose]: close,
  };
}
