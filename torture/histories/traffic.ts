import { petStatuses } from '../../src/domain/pet.ts';
import { nextQuery } from '../../test/support/http/calls.ts';
import { between, randomFrom, type Random } from '../../test/support/random.ts';
import {
  openLine,
  readPet,
  type Answer,
  type Line,
  type PetWithId,
  type Unknown,
  type UsedKey,
} from './callers.ts';
import { ownName, type History, type Operation, type Order, type Pet, type PetFields } from './history.ts';

/** Callers of several services on one store, who do whatever comes to their mind. */
export interface Traffic {
  history: History;
  /** Keys beside the fixed one, the newest last. */
  keys: UsedKey[];
  isDone(): boolean;
  /** Resolves after so many more operations; at once when all is done. */
  untilOperations(count: number): Promise<void>;
  /** Resolves when all is done and every response has come. */
  finished: Promise<void>;
  /** Walks through everything. All services must be whole. */
  finish(): Promise<void>;
}

const callerCount = 10;
/** So few pets are changed at a time that callers meet. */
const hotPets = 6;
const walkedPages = 100;

export function startTraffic(urls: readonly string[], operations: number, seed: number): Traffic {
  const history: History = { operations: [], keyUses: [], wrong: [] };
  const keys: UsedKey[] = [];
  const isDone = () => history.operations.length >= operations;
  const shared: Shared = { history, keys, urls, ids: [], version: 0 };
  const callers = Array.from({ length: callerCount }, async (_, number) => {
    using line = openLine(history);
    const caller = new Caller(number, shared, randomFrom(seed * callerCount + number), line);
    while (!isDone()) await caller.act();
  });
  const finished = Promise.all(callers).then(() => {});
  finished.catch(() => {});
  return {
    ...{ history, keys, isDone, finished },
    async untilOperations(count) {
      const goal = history.operations.length + count;
      // A caller that has failed ends the test.
      while (history.operations.length < goal && !isDone()) await Promise.race([Bun.sleep(1), finished]);
    },
    async finish() {
      using line = openLine(history);
      const caller = new Caller(callerCount, { ...shared, keys: [] }, randomFrom(seed), line);
      for (const what of ['pets', 'orders'] as const)
        while (!(await caller.list(what, '?limit=100', walkedPages))) await Bun.sleep(50);
    },
  };
}

interface Shared {
  history: History;
  keys: UsedKey[];
  urls: readonly string[];
  /** Of the pets that callers change now. */
  ids: number[];
  /** Counts changes, so that most of them differ. */
  version: number;
}

class Caller {
  readonly number: number;
  readonly shared: Shared;
  readonly random: Random;
  readonly line: Line;
  /** The pets as this caller saw them last, with their tags where a response told them. */
  readonly #seen = new Map<number, { pet: Pet; tag: string | null }>();
  #created = 0;
  #isInDoubt = false;

  constructor(number: number, shared: Shared, random: Random, line: Line) {
    this.number = number;
    this.shared = shared;
    this.random = random;
    this.line = line;
  }

  async act(): Promise<void> {
    const chance = this.random.next();
    const id = this.random.pick(this.shared.ids);
    // A pet with dozens of changes of unknown outcome could not be judged.
    if (this.#isInDoubt && id !== undefined) return this.get(id);
    if (chance < 0.03 || id === undefined) return this.create();
    if (chance < 0.4) return this.change(id, 'update');
    if (chance < 0.42) return this.change(id, 'delete');
    if (chance < 0.85) return this.get(id);
    const limit = between(this.random, 1, 100);
    const pages = this.random.pick([1, 1, walkedPages]);
    if (chance < 0.9) await this.list('orders', '?limit=100', pages);
    else await this.list('pets', `?limit=${limit}${this.random.pick(['', '', ...filters])}`, pages);
  }

  /** Creates a pet; with an idempotency key, again until there is a response, and sometimes once more. */
  async create(): Promise<void> {
    const name = `pet-${this.number}-${this.#created++}`;
    const status = this.random.pick([...petStatuses, undefined]);
    const pet = { name, categoryId: ++this.shared.version, ...(status && { status }) };
    const isKeyed = this.random.next() < 0.5;
    const headers = isKeyed ? { 'Idempotency-Key': name } : undefined;
    const body = JSON.stringify(pet);
    for (let isOwed = true; isOwed;) {
      const answer = await this.send('POST', '/v1/pets', { ...(headers && { headers }), body }, !isKeyed);
      if (answer.status === 'unknown') this.note({ kind: 'create', pet, result: 'unknown' }, answer);
      isOwed = isKeyed && (!('text' in answer) || this.random.next() < 0.2);
      if (!('text' in answer)) continue;
      if (answer.status !== 201) return this.wrong(answer, `the create of ${body}`);
      const { id, pet: made } = readPet(answer.text);
      if (JSON.stringify(made) !== body) this.wrong(answer, `the create of ${body}`);
      const isReplayed = answer.headers.get('Idempotent-Replayed') === 'true';
      this.note({ kind: 'create', pet, result: { id, isReplayed } }, answer);
      this.meet(id);
    }
  }

  async change(id: number, kind: 'update' | 'delete'): Promise<void> {
    const seen = this.#seen.get(id);
    const way = this.random.pick(['blindly', 'expected', 'tag'] as const);
    const tag = way === 'tag' ? seen?.tag : undefined;
    const isExpecting = way === 'expected' && kind === 'update' && seen !== undefined;
    const field = this.random.pick(['status', 'categoryId'] as const);
    // A tag stands for the whole pet.
    const whole = seen && { ...seen.pet, status: seen.pet.status ?? null };
    const expected = tag ? whole : isExpecting && whole ? { [field]: whole[field] } : undefined;
    const changes = this.changesOf(seen?.pet);
    const body = JSON.stringify({ ...changes, ...(isExpecting && expected && { expected }) });
    const request = { ...(tag && { headers: { 'If-Match': tag } }), ...(kind === 'update' && { body }) };
    const answer = await this.send(kind === 'update' ? 'PATCH' : 'DELETE', `/v1/pets/${id}`, request);
    const subject = { id, ...(expected && { expected }) };
    const note = (result: 'missing' | 'changed' | 'unknown') =>
      kind === 'update'
        ? this.note({ kind, ...subject, changes, result }, answer)
        : this.note({ kind, ...subject, result }, answer);
    if (answer.status === 'unknown') note('unknown');
    else if (answer.status === 404) note('missing');
    else if (answer.status === 412) note('changed');
    else if (answer.status === 200 && kind === 'update' && 'text' in answer)
      this.note({ kind, ...subject, changes, result: this.see(answer) }, answer);
    else if (answer.status === 204 && kind === 'delete')
      this.note({ kind, ...subject, result: 'deleted' }, answer);
    else if ('text' in answer) this.wrong(answer, `the ${kind} of ${id}`);
  }

  async get(id: number): Promise<void> {
    const answer = await this.send('GET', `/v1/pets/${id}`);
    if (!('text' in answer)) return;
    if (answer.status === 404) this.note({ kind: 'get', id, result: 'missing' }, answer);
    else if (answer.status === 200) this.note({ kind: 'get', id, result: this.see(answer) }, answer);
    else this.wrong(answer, `the get of ${id}`);
  }

  /** Walks through pages from the first; each is an operation of its own. False when one does not come. */
  async list(kind: 'pets' | 'orders', query: string, pages: number): Promise<boolean> {
    const status = /status=(\w+)/.exec(query)?.[1];
    const path = kind === 'pets' ? '/v1/pets' : '/v1/store/orders';
    let [after, next] = [0, query];
    for (let page = 0; page < pages; page++) {
      const answer = await this.send('GET', `${path}${next}`);
      if (!('text' in answer)) return false;
      const rows = JSON.parse(answer.text) as (PetWithId & Order)[];
      const link = nextQuery(answer);
      const upTo = link === undefined ? Infinity : (rows.at(-1)?.id ?? after);
      if (kind === 'orders') {
        const orders = rows.map(({ id, petId, status: its }) => ({ id, petId, status: its }));
        this.note({ kind, orders, after, upTo }, answer);
      } else {
        const pets = new Map(rows.map(({ id, ...pet }) => [id, pet as Pet]));
        pets.forEach((pet, id) => this.#seen.set(id, { pet, tag: null }));
        this.note({ kind, pets, after, upTo, ...(status !== undefined && { status }) }, answer);
      }
      if (link === undefined) return true;
      [after, next] = [upTo, link];
    }
    return true;
  }

  changesOf(pet: Pet | undefined): PetFields {
    const version = ++this.shared.version;
    const status = this.random.pick([...petStatuses, null]);
    const isRenamed = pet !== undefined && this.random.next() < 0.2;
    return this.random.pick<PetFields>([
      { status },
      { categoryId: version },
      { categoryId: version, status },
      { status, ...(isRenamed ? { name: `${ownName(pet.name)}/${version}` } : { categoryId: version }) },
    ]);
  }

  /** Most requests carry the fixed key; the others one of the newest, which may be revoked. */
  async send(method: string, path: string, request = {}, mayUseOther = true): Promise<Answer | Unknown> {
    const { keys, urls } = this.shared;
    const isOther = mayUseOther && this.random.next() < 0.3;
    const key = isOther ? this.random.pick(keys.slice(-2)) : undefined;
    const answer = await this.line.send(this.random.pick(urls), method, path, { ...request, key });
    this.#isInDoubt = answer.status === 'unknown';
    if (this.#isInDoubt) await Bun.sleep(5);
    return answer;
  }

  see(answer: Answer): Pet {
    const { id, pet } = readPet(answer.text);
    this.#seen.set(id, { pet, tag: answer.headers.get('ETag') });
    return pet;
  }

  meet(id: number): void {
    const { ids } = this.shared;
    if (!ids.includes(id)) ids.push(id);
    if (ids.length > hotPets) ids.shift();
  }

  note(subject: SubjectOf<Operation>, { from, ...rest }: Answer | Unknown): void {
    const to = 'to' in rest ? rest.to : Infinity;
    this.shared.history.operations.push({ ...subject, caller: this.number, from, to });
  }

  wrong({ status, text }: Answer, what: string): void {
    this.shared.history.wrong.push(`${status} ${text.slice(0, 200)} to ${what}`);
  }
}

const filters = petStatuses.map((status) => `&status=${status}`);

type SubjectOf<Kind> = Kind extends unknown ? Omit<Kind, 'caller' | 'from' | 'to'> : never;
