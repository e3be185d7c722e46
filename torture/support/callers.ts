import { createClient } from '../../packages/client/src/index.ts';
import { openCaller } from '../../test/support/http/raw-http.ts';
import { Journal } from '../../test/support/journal.ts';
import { fixedKey } from '../../test/support/process/process.ts';

/** Callers who list and create pets in turn, and never rest until they are told to. */
export interface Callers {
  readonly requests: number;
  /** What went wrong, counted by its kind. */
  failed: Map<string, number>;
  latenciesMs: number[];
  journal: Journal;
  stop(): Promise<void>;
}

export interface CallersOptions {
  /** Where to connect; callers spread over all of them. */
  urls: () => readonly string[];
  label?: string;
  callers?: number;
  /** A constant rate below the peak: the machine must not be what fails. */
  pauseMs?: number;
  /** What they read. */
  path?: string;
}

/** Kept-alive connections, left when the service says so. Nothing is repeated: every request has to succeed by itself. */
export function startCallers({ urls, path = '/v1/pets', ...options }: CallersOptions): Callers {
  return start(options, (number) => {
    let turn = number;
    const caller = openCaller({ url: () => urls()[turn++ % urls().length] ?? '', how: 'exchange' });
    return {
      async call(name) {
        const body = name === undefined ? {} : { body: JSON.stringify({ name, categoryId: 1 }) };
        const [method, target] = name === undefined ? ['GET', path] : ['POST', '/v1/pets'];
        const send = () => caller.send(method, target, { key: fixedKey, ...body });
        let response = await send();
        // Whoever listens will do.
        for (let left = urls().length; response === 'refused' && left > 1; left--) response = await send();
        if (typeof response === 'string') return `were ${response}`;
        if (response.status >= 400) return `got ${response.status}`;
        return { id: response.headers.get('Location')?.split('/').at(-1) };
      },
      [Symbol.dispose]: () => caller[Symbol.dispose](),
    };
  });
}

/** The project's own client with its defaults, as an application uses it. */
export function startClients(baseUrl: string, options: Omit<CallersOptions, 'urls' | 'path'>): Callers {
  const client = createClient({ baseUrl, apiKey: fixedKey });
  return start(options, () => ({
    async call(name) {
      try {
        if (name !== undefined) return { id: String((await client.createPet({ name, categoryId: 1n })).id) };
        await client.listPets();
        return {};
      } catch (error) {
        return `failed with ${String(error)}`;
      }
    },
    [Symbol.dispose]() {},
  }));
}

interface Caller extends Disposable {
  /** Creates a pet of this name, or reads; what went wrong is said in words. */
  call(name: string | undefined): Promise<{ id?: string | undefined } | string>;
}

function start(
  options: Omit<CallersOptions, 'urls' | 'path'>,
  makeCaller: (number: number) => Caller,
): Callers {
  const { label = 'caller', callers = 16, pauseMs = 0 } = options;
  const stopping = new AbortController();
  const journal = new Journal();
  const failed = new Map<string, number>();
  const latenciesMs: number[] = [];
  const running = Array.from({ length: callers }, async (_, number) => {
    using caller = makeCaller(number);
    for (let turn = number; !stopping.signal.aborted; turn++) {
      const name = turn % 5 === 0 ? `${label} ${number} ${turn}` : undefined;
      if (name !== undefined) journal.attempted.add(name);
      const startedAt = performance.now();
      const outcome = await caller.call(name);
      latenciesMs.push(performance.now() - startedAt);
      if (typeof outcome === 'string') failed.set(outcome, (failed.get(outcome) ?? 0) + 1);
      else if (name !== undefined) journal.acknowledged.set(name, outcome.id ?? '');
      await Bun.sleep(typeof outcome === 'string' ? Math.max(5, pauseMs) : pauseMs);
    }
  });
  return {
    ...{ failed, latenciesMs, journal },
    get requests() {
      return latenciesMs.length;
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** How many requests failed. */
export function failures({ failed }: Callers): number {
  return [...failed.values()].reduce((total, times) => total + times, 0);
}
