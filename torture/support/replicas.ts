import { freePort } from '../../test/support/http/free-port.ts';
import type { Service } from '../../test/support/process/process.ts';
import { serve, type TortureServiceOptions } from './serve.ts';

/** Services on one store, each of which keeps its port when it is started again. */
export interface Replicas extends AsyncDisposable {
  services: readonly Service[];
  urls: readonly string[];
  /** Ends one in this way, and starts it again. */
  restart(index: number, end: 'stop' | 'kill9'): Promise<void>;
}

export async function openReplicas(
  count: number,
  optionsOf: (index: number) => TortureServiceOptions,
): Promise<Replicas> {
  const services: Service[] = [];
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()));
  const start = (index: number): Promise<Service> => {
    const { env, ...options } = optionsOf(index);
    return serve({ ...options, env: { ...env, PORT: String(ports[index]) } });
  };
  const close = async (): Promise<void> => {
    for (const service of services) await service[Symbol.asyncDispose]();
  };
  try {
    while (services.length < count) services.push(await start(services.length));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    services,
    urls: services.map(({ url }) => url),
    async restart(index, end) {
      await services[index]?.[end]();
      await services[index]?.[Symbol.asyncDispose]();
      services[index] = await start(index);
    },
    [Symbol.asyncDispose]: close,
  };
}
