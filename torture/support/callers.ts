import { createClient } from '../../packages/client/src/index.ts';
import { openCaller } from '../../test/support/http/raw-http.ts';
import { Journal } from '../../test/support/journal.ts';
import { fixedKey } from '../../test/support/process/process.ts';

/** Callers who create pets and read, and never rest until they are told to. */
export interface Callers {
  readonly requests: number;
  /** What went wrong, by its kind, and when. */
  failed: Map<string, number[]>;
  latenciesMs: number[];
  succeeded: number;
  /** The longest time in which nobody succeeded. */
  gapMs: number;
  journal: Journal;
  /** Resolves once so many more requests have succeeded; false when that does not happen in time. */
  untilSucceeded(count: number, withinMs: number): Promise<boolean>;
  stop(): Promise<void>;
}

interface Habits {
  label?: string;
  callers?: number;
  /** A constant rate below the peak: the machine must not be what fails. */
  pauseMs?: number;
  /** One request in so many is a create; with Infinity, none. */
  createEvery?: number;
  journal?: Journal;
  /** Repeats a create, with an idempotency key, until it is acknowledged. */
  isPersistent?: (caller: number) => boolean;
}

export interface CallersOptions extends Habits {
  /** Where to connect; callers spread over all of them. */
  urls: () => readonly string[];
  /** What they read. */
  path?: () => string;
}

/** A request takes longer only if several waits of the service add up. */
const patienceMs = 15_000;
/** How long a create is still repeated after the stop. */
const lastChanceMs = 30_000;

/** Kept-alive connections, left when the service says so. */
export function startCallers({ urls, path = () => '/v1/pets', ...habits }: CallersOptions): Callers {
  return start(habits, (number) => {
    let turn = number;
    const url = () => urls()[turn++ % urls().length] ?? '';
    const caller = openCaller({ url, how: 'exchange', patienceMs });
    return {
      async call(name, isPersistent) {
        const headers = isPersistent && name !== undefined ? { 'Idempotency-Key': name } : {};
        const send = () =>
          name === undefined
            ? caller.send('GET', path(), { key: fixedKey })
            : caller.send('POST', '/v1/pets', {
                key: fixedKey,
                headers,
                body: JSON.stringify({ name, categoryId: 1 }),
              });
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
export function startClients(baseUrl: string, habits: Habits): Callers {
  const client = createClient({ baseUrl, apiKey: fixedKey });
  return start(habits, () => ({
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
  call(name: string | undefined, isPersistent: boolean): Promise<{ id?: string | undefined } | string>;
}

function start(habits: Habits, makeCaller: (number: number) => Caller): Callers {
  const { label = 'caller', callers = 16, pauseMs = 0, createEvery = 5, journal = new Journal() } = habits;
  const { isPersistent = () => false } = habits;
  let giveUpAt = Infinity;
  const isDone = (isOwing: boolean) => giveUpAt !== Infinity && !(isOwing && performance.now() < giveUpAt);
  let succeededAt = performance.now();
  const noteGap = () => (result.gapMs = Math.max(result.gapMs, performance.now() - succeededAt));
  const result: Callers = {
    ...{ failed: new Map(), latenciesMs: [], succeeded: 0, gapMs: 0, journal },
    get requests() {
      return result.latenciesMs.length;
    },
    async untilSucceeded(count, withinMs) {
      const [goal, deadline] = [result.succeeded + count, performance.now() + withinMs];
      while (result.succeeded < goal && performance.now() < deadline) await Bun.sleep(20);
      return result.succeeded >= goal;
    },
    async stop() {
      giveUpAt = performance.now() + lastChanceMs;
      await running;
      noteGap();
    },
  };
  const running = Promise.all(
    Array.from({ length: callers }, async (_, number) => {
      using caller = makeCaller(number);
      let owed: string | undefined;
      for (let turn = number + 1; !isDone(owed !== undefined); turn++) {
        const name = owed ?? (turn % createEvery === 0 ? `${label}-${number}-${turn}` : undefined);
        if (name !== undefined) journal.attempted.add(name);
        const startedAt = performance.now();
        const outcome = await caller.call(name, isPersistent(number));
        result.latenciesMs.push(performance.now() - startedAt);
        const hasFailed = typeof outcome === 'string';
        owed = hasFailed && isPersistent(number) ? name : undefined;
        if (hasFailed) result.failed.getOrInsertComputed(outcome, () => []).push(performance.now());
        else {
          noteGap();
          result.succeeded += 1;
          succeededAt = performance.now();
          if (name !== undefined) journal.acknowledged.set(name, outcome.id ?? '');
        }
        await Bun.sleep(hasFailed ? Math.max(5, pauseMs) : pauseMs);
      }
      if (owed !== undefined) result.failed.set('were never acknowledged', [performance.now()]);
    }),
  );
  running.catch(() => {});
  return result;
}

/** How many requests failed. */
export function failures({ failed }: Callers): number {
  return [...failed.values()].reduce((total, times) => total + times.length, 0);
}
