import { createClient } from '../../packages/client/src/index.ts';
import { Journal } from '../../test/support/journal.ts';
import { openConnection, requestText, type RawConnection } from '../../test/support/http/raw-http.ts';
import { fixedKey } from '../../test/support/process/process.ts';

/** Callers that never rest until they are told to; what went wrong is counted by its kind. */
export interface Callers {
  readonly requests: number;
  failed: Map<string, number>;
  journal: Journal;
  stop(): Promise<void>;
}

const callerCount = 16;

/** Kept-alive connections, and nothing is ever repeated: every request has to succeed by itself. */
export function startPlainCallers(url: string, label: string): Callers {
  return start(label, async (name, isCreate, state: { connection?: RawConnection | undefined }, journal) => {
    state.connection ??= await openConnection(url);
    if (!state.connection) return 'found nobody';
    const body = isCreate ? { body: JSON.stringify({ name, categoryId: 1 }) } : {};
    const method = isCreate ? 'POST' : 'GET';
    state.connection.write(requestText(method, '/v1/pets', 'localhost', { key: fixedKey, ...body }));
    const response = await state.connection.receive();
    if (typeof response === 'string' || response.headers.get('Connection') === 'close') {
      state.connection[Symbol.dispose]();
      state.connection = undefined;
    }
    if (typeof response === 'string') return `were ${response}`;
    if (response.status !== (isCreate ? 201 : 200)) return `got ${response.status}`;
    if (isCreate) journal.acknowledged.set(name, response.headers.get('Location')?.split('/').at(-1) ?? '');
    return undefined;
  });
}

/** The project's own client with its defaults, as an application uses it. */
export function startClients(baseUrl: string, label: string): Callers {
  const client = createClient({ baseUrl, apiKey: fixedKey });
  return start(label, async (name, isCreate, _, journal) => {
    try {
      if (isCreate) {
        const { id } = await client.createPet({ name, categoryId: 1n });
        journal.acknowledged.set(name, String(id));
      } else await client.listPets();
      return undefined;
    } catch (error) {
      return `failed with ${String(error)}`;
    }
  });
}

type Call<State> = (
  name: string,
  isCreate: boolean,
  state: State,
  journal: Journal,
) => Promise<string | undefined>;

function start<State extends object>(label: string, call: Call<Partial<State>>): Callers {
  const stopping = new AbortController();
  const journal = new Journal();
  const failed = new Map<string, number>();
  let requests = 0;
  const running = Array.from({ length: callerCount }, async (_, caller) => {
    const state: Partial<State> = {};
    for (let turn = caller; !stopping.signal.aborted; turn++) {
      const isCreate = turn % 5 === 0;
      const name = `${label} ${caller} ${turn}`;
      if (isCreate) journal.attempted.add(name);
      requests += 1;
      const failure = await call(name, isCreate, state, journal);
      if (failure !== undefined) failed.set(failure, (failed.get(failure) ?? 0) + 1);
      // A constant rate below the peak: the machine must not be what fails.
      await Bun.sleep(20);
    }
  });
  return {
    get requests() {
      return requests;
    },
    failed,
    journal,
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
