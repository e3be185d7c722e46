import { Database } from 'bun:sqlite';
import { expect } from 'bun:test';
import { fixedKey } from './process/process.ts';
import { openCaller, type RawOutcome } from './http/raw-http.ts';

/** What clients know of their creates, to be compared with what the store holds. */
export class Journal {
  readonly attempted = new Set<string>();
  /** The id of each pet whose 201 arrived, by name. */
  readonly acknowledged = new Map<string, string>();
  /** The names whose last request got no whole response; each is the X-Request-Id of its requests too. */
  readonly unanswered = new Set<string>();
  /** Statuses other than 201, with their bodies. */
  readonly refused: string[] = [];
  truncatedCount = 0;
}

/** Clients that create pets without pause and keep a journal of what they were told. */
export interface Load {
  journal: Journal;
  /** Resolves when so many more have been acknowledged; false when that does not happen in time. */
  untilAcknowledged(count: number, withinMs?: number): Promise<boolean>;
  /** Waits until every request that was begun is settled. */
  stop(): Promise<void>;
}

interface LoadOptions {
  url: () => string;
  creators?: number;
  label?: string;
  journal?: Journal;
  /** Repeat, under an Idempotency-Key, what got no response: every second client unless said otherwise. */
  isPersistent?: (creator: number) => boolean;
}

export function startLoad(options: LoadOptions): Load {
  const { url, creators = 12, label = 'creator', journal = new Journal() } = options;
  const { isPersistent = (creator: number) => creator % 2 === 0 } = options;
  let isDone = false;
  const running = Array.from({ length: creators }, (_, creator) =>
    createPets(journal, url, () => isDone, `${label}-${creator}`, isPersistent(creator)),
  );
  const all = Promise.all(running);
  all.catch(() => {});
  return {
    journal,
    async untilAcknowledged(count, withinMs = 60_000) {
      const goal = journal.acknowledged.size + count;
      const deadline = performance.now() + withinMs;
      while (journal.acknowledged.size < goal) {
        if (performance.now() > deadline) return false;
        await Bun.sleep(1);
      }
      return true;
    },
    async stop() {
      isDone = true;
      await all;
    },
  };
}

/** Creates one pet after the other until `isDone`. A persistent creator repeats what got no response until it has one. */
async function createPets(
  journal: Journal,
  url: () => string,
  isDone: () => boolean,
  label: string,
  isPersistent: boolean,
): Promise<void> {
  using caller = openCaller({ url });
  let count = 0;
  let owed: string | undefined;
  while (!isDone() || owed !== undefined) {
    const name: string = owed ?? `${label}-${count++}`;
    journal.attempted.add(name);
    const response = await caller.send('POST', '/v1/pets', {
      key: fixedKey,
      headers: { 'X-Request-Id': name, ...(isPersistent && { 'Idempotency-Key': name }) },
      body: JSON.stringify({ name, categoryId: 1 }),
    });
    if (response === 'refused') await Bun.sleep(5);
    else await record(journal, name, response);
    owed = isPersistent && !journal.acknowledged.has(name) ? name : undefined;
  }
}

async function record(journal: Journal, name: string, response: RawOutcome): Promise<void> {
  if (response === 'truncated') journal.truncatedCount += 1;
  if (typeof response === 'string') {
    journal.unanswered.add(name);
    return;
  }
  const body = await response.text();
  if (response.status === 201) {
    journal.acknowledged.set(name, response.headers.get('Location')?.split('/').at(-1) ?? '');
  } else {
    journal.refused.push(`${response.status} ${body}`);
    await Bun.sleep(10);
  }
}

/** Nothing acknowledged is lost or changed, nothing is there twice, nothing is there that nobody sent. */
export function expectStoreToMatch(path: string, journal: Journal): void {
  const stored = readPets(path);
  const idOfName = new Map(stored.map(({ id, name }) => [name, id]));
  expect(stored.length).toBe(idOfName.size);
  const wrong = [...journal.acknowledged].filter(([name, id]) => idOfName.get(name) !== id);
  expect(wrong).toEqual([]);
  expect([...idOfName.keys()].filter((name) => !journal.attempted.has(name))).toEqual([]);
}

interface StoredPet {
  id: string;
  name: string;
}

/** The pets in the file, which must be sound. */
export function readPets(path: string): StoredPet[] {
  using database = new Database(path, { readwrite: true, create: false });
  expect(database.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  return database
    .query<StoredPet, []>(`SELECT CAST(id AS TEXT) AS id, json ->> 'name' AS name FROM pets ORDER BY pets.id`)
    .all();
}
