import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextQuery, post } from '../../test/support/http/calls.ts';
import { makeFolder, runCli, type CliResult, type Service } from '../../test/support/process/process.ts';
import type { Random } from '../../test/support/random.ts';
import { serve } from '../support/serve.ts';
import { acknowledge, compareWith, createModel, Fault, judgeFile, type StoreModel } from './model.ts';

/** Makes a random change of the world. Undefined when there is nothing to change. */
export type Step = (world: World) => string | undefined | Promise<string | undefined>;

export interface Serving {
  service: Service;
  store: StoreModel;
}

/** A folder with two stores, backups of them, a service on one of them at most, and what is known of all. */
export class World implements AsyncDisposable {
  readonly random: Random;
  readonly stores: StoreModel[];
  readonly backups: StoreModel[] = [];
  serving: Serving | undefined;
  readonly #folder = makeFolder();
  readonly #broken: string | undefined;
  readonly #counts: Map<string, number>;
  #made = 0;

  constructor(random: Random, broken: string | undefined, counts: Map<string, number>) {
    this.random = random;
    this.#broken = broken;
    this.#counts = counts;
    for (const name of ['a', 'b', 'backups']) mkdirSync(this.pathOf(name));
    this.stores = ['a', 'b'].map((name) => createModel(this.pathOf(`${name}/store.db`)));
  }

  pathOf(name: string): string {
    return join(this.#folder.path, name);
  }

  /** A number that no other thing of this world has. */
  nextNumber(): number {
    return ++this.#made;
  }

  count(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by);
  }

  /** True so often. */
  chance(share: number): boolean {
    return this.random.next() < share;
  }

  stopped(): StoreModel[] {
    return this.stores.filter((store) => store !== this.serving?.store);
  }

  run(args: string[], store: StoreModel): Promise<CliResult> {
    this.count('commands');
    const env = this.#broken === undefined ? {} : { BUN_OPTIONS: `--preload=${this.#broken}` };
    return runCli([...args, '--database-url', store.path], { env });
  }

  async start(store: StoreModel): Promise<void> {
    const options = { databaseUrl: store.path, broken: this.#broken };
    this.serving = { service: await serve(options), store };
    this.count('starts');
  }

  /** Ends the service, and waits until it is gone. */
  async end(isKilled: boolean): Promise<void> {
    if (!this.serving) return;
    const { service } = this.serving;
    if (isKilled) await service.kill9();
    else if ((await service.stop()) !== 0) throw new Fault(`A service did not stop well: ${service.stdout}`);
    this.serving = undefined;
    this.count(isKilled ? 'kills' : 'stops');
    await service[Symbol.asyncDispose]();
  }

  /** Creates some pets at once; returns how many were acknowledged. */
  async create({ service, store }: Serving, count: number): Promise<number> {
    const creates = Array.from({ length: count }, async () => {
      const name = `pet-${this.nextNumber()}`;
      const { largestId } = store;
      store.unsure.add(name);
      const response = await service.call('/v1/pets', post({ name, categoryId: 1 })).catch(() => undefined);
      const body = await response?.text().catch(() => undefined);
      if (response?.status !== 201 || body === undefined) return false;
      const { id } = JSON.parse(body) as { id: number };
      if (id <= largestId) throw new Fault(`${name} got the id ${id}, and ${largestId} was used before`);
      acknowledge(store, name, id);
      return true;
    });
    const acknowledged = (await Promise.all(creates)).filter(Boolean).length;
    this.count('creates acknowledged', acknowledged);
    return acknowledged;
  }

  /** Compares everything with what was acknowledged: by the service where one runs, and by a copy where none does. */
  async judge(): Promise<void> {
    for (const store of this.stopped()) if (isMade(store)) judgeFile(store);
    for (const backup of this.backups) judgeFile(backup);
    if (!this.serving) return;
    const { service, store } = this.serving;
    compareWith(store, await listPets(service), store.path);
    for (const [key, { id, isRevoked }] of store.keys) {
      const { status } = await service.callWith(key, '/v1/pets?limit=1');
      if (status !== (isRevoked ? 401 : 200)) throw new Fault(`Key ${id} of ${store.path} got ${status}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.serving?.service[Symbol.asyncDispose]();
    } finally {
      this.#folder[Symbol.dispose]();
    }
  }
}

/** Whether anybody has made it yet. */
export function isMade({ path }: StoreModel): boolean {
  try {
    return readFileSync(path).length > 0;
  } catch {
    return false;
  }
}

async function listPets(service: Service): Promise<{ id: number; name: string }[]> {
  const found: { id: number; name: string }[] = [];
  for (let query: string | undefined = '?limit=100'; query !== undefined;) {
    const response: Response = await service.call(`/v1/pets${query}`);
    if (response.status !== 200) throw new Fault(`GET /v1/pets gave ${response.status}: ${service.stdout}`);
    found.push(...((await response.json()) as typeof found));
    query = nextQuery(response);
  }
  return found;
}
