import { Journal } from '../../test/support/journal.ts';
import { openCaller } from '../../test/support/http/raw-http.ts';
import { fixedKey } from '../../test/support/process/process.ts';

/** What the callers of some replicas have seen while something was broken. */
export interface Witness {
  journal: Journal;
  /** Pets that were acknowledged to somebody before they were asked for, and not found. */
  missed: { id: string; at: number }[];
  /** Requests without a whole response, and responses that nobody should get. */
  wrong: Map<string, number>;
  /** Responses with 503. */
  failed: { creates: number; reads: number };
  /** The longest time that one replica has acknowledged, or shown, nothing. */
  writeGapMs: number;
  readGapMs: number;
}

/** The ids that were acknowledged last, by whichever replica: from then on, all of them must show them. */
export type Recent = string[];

export interface Callers extends Witness {
  /** Resolves once every replica has acknowledged something new; false when that does not happen in time. */
  untilAllServe(withinMs: number): Promise<boolean>;
  stop(): Promise<void>;
}

const pauseMs = 40;
/** A request takes longer only if several waits of the service add up; its outcome is then unknown. */
const patienceMs = 15_000;
/** How long a create with an idempotency key is still repeated after everything is whole again. */
const lastChanceMs = 30_000;
const recentCount = 20;

/** For each replica two creators, one with idempotency keys, two readers and one who changes pets, at a constant rate. */
export function startCallers(urls: readonly string[], label: string, recent: Recent): Callers {
  const stopping = new AbortController();
  const isDone = () => stopping.signal.aborted;
  let giveUpAt = Infinity;
  const journal = new Journal();
  const served = urls.map(() => ({ writes: 0, writtenAt: performance.now(), readAt: performance.now() }));
  const failed = { creates: 0, reads: 0 };
  const witness: Witness = { journal, missed: [], wrong: new Map(), failed, writeGapMs: 0, readGapMs: 0 };
  const count = (what: string) => witness.wrong.set(what, (witness.wrong.get(what) ?? 0) + 1);

  const noteWrite = (replica: number, name: string, id: string): void => {
    const state = served[replica];
    if (!state) return;
    witness.writeGapMs = Math.max(witness.writeGapMs, performance.now() - state.writtenAt);
    state.writtenAt = performance.now();
    state.writes += 1;
    journal.acknowledged.set(name, id);
    recent.push(id);
    if (recent.length > recentCount) recent.shift();
  };
  const noteRead = (replica: number): void => {
    const state = served[replica];
    if (!state) return;
    witness.readGapMs = Math.max(witness.readGapMs, performance.now() - state.readAt);
    state.readAt = performance.now();
  };

  const create = async (replica: number, isKeyed: boolean): Promise<void> => {
    using caller = openCaller({ url: () => urls[replica] ?? '', patienceMs });
    let owed: string | undefined;
    for (let number = 0; !isDone() || (owed !== undefined && performance.now() < giveUpAt); number++) {
      const name: string = owed ?? `${label} ${replica}${isKeyed ? ' keyed' : ''} ${number}`;
      journal.attempted.add(name);
      const response = await caller.send('POST', '/v1/pets', {
        key: fixedKey,
        ...(isKeyed && { headers: { 'Idempotency-Key': name.replaceAll(' ', '-') } }),
        body: JSON.stringify({ name, categoryId: 1 }),
      });
      if (typeof response === 'string') count(`create ${response}`);
      else if (response.status === 201) noteWrite(replica, name, idIn(response));
      else if (response.status === 503) failed.creates += 1;
      else count(`create ${response.status}`);
      owed = isKeyed && !journal.acknowledged.has(name) ? name : undefined;
      await Bun.sleep(pauseMs);
    }
    if (owed !== undefined) count('keyed create never acknowledged');
  };

  const read = async (replica: number): Promise<void> => {
    using caller = openCaller({ url: () => urls[replica] ?? '', patienceMs });
    while (!isDone()) {
      const id = recent[Math.floor(Math.random() * recent.length)];
      if (id !== undefined) {
        const response = await caller.send('GET', `/v1/pets/${id}`, { key: fixedKey });
        if (typeof response === 'string') count(`read ${response}`);
        else if (response.status === 200) noteRead(replica);
        else if (response.status === 404) witness.missed.push({ id, at: performance.now() });
        else if (response.status === 503) failed.reads += 1;
        else count(`read ${response.status}`);
      }
      await Bun.sleep(pauseMs);
    }
  };

  /** Creates a pet of its own, changes it and deletes it; whether all of that happens is nobody's promise. */
  const change = async (replica: number): Promise<void> => {
    using caller = openCaller({ url: () => urls[replica] ?? '', patienceMs });
    for (let number = 0; !isDone(); number++) {
      const name = `${label} ${replica} changed ${number}`;
      journal.attempted.add(name);
      let path = '/v1/pets';
      for (const [method, fields] of [
        ['POST', { name, categoryId: 1 }],
        ['PATCH', { status: 'sold' }],
        ...(number % 2 === 0 ? [['DELETE'] as const] : []),
      ] as const) {
        await Bun.sleep(pauseMs);
        const body = fields && { body: JSON.stringify(fields) };
        const response = await caller.send(method, path, { key: fixedKey, ...body });
        if (typeof response === 'string') count(`${method} ${response}`);
        // 404 comes from a replica that still reads from an old primary.
        else if (!response.ok && ![404, 503].includes(response.status)) count(`${method} ${response.status}`);
        if (typeof response === 'string' || !response.ok) break;
        if (method === 'POST') path = `/v1/pets/${idIn(response)}`;
      }
    }
  };

  const running = Promise.all(
    urls.flatMap((_, replica) => [
      create(replica, true),
      create(replica, false),
      read(replica),
      read(replica),
      change(replica),
    ]),
  );
  running.catch(() => {});
  return Object.assign(witness, {
    async untilAllServe(withinMs: number) {
      const goals = served.map(({ writes }) => writes + 5);
      const deadline = performance.now() + withinMs;
      while (served.some(({ writes }, replica) => writes < (goals[replica] ?? 0))) {
        if (performance.now() > deadline) return false;
        await Bun.sleep(20);
      }
      return true;
    },
    async stop() {
      giveUpAt = performance.now() + lastChanceMs;
      stopping.abort();
      await running;
      for (const state of served) {
        witness.writeGapMs = Math.max(witness.writeGapMs, performance.now() - state.writtenAt);
        witness.readGapMs = Math.max(witness.readGapMs, performance.now() - state.readAt);
      }
    },
  });
}

function idIn(response: Response): string {
  return response.headers.get('Location')?.split('/').at(-1) ?? '';
}
