import { expect, it } from 'bun:test';
import type { EventPosition } from '../../src/domain/event.ts';
import { codeOf } from '../support/code-of.ts';
import { between, randomFrom, type Random } from '../support/random.ts';
import { onEveryStore } from '../support/stores.ts';
import type { Store } from '../support/http/service.ts';

/** A mirror that is built from events, by a reader that keeps its position and nothing else, equals a full listing. */

const seed = Number(process.env['SEED'] ?? 1);

type Pet = { id: number };
type Event = { id: number; type: string; petId: number; pet: Pet };

class Mirror {
  readonly pets = new Map<number, string>();
  readonly ids: number[] = [];
  #position: EventPosition | undefined;

  /** Takes the position first, then the pets: what changes meanwhile is applied twice, which changes nothing. */
  async list(store: Store): Promise<void> {
    this.#position = (await store.events.listEvents({ after: 'now', limit: 1 })).next;
    this.pets.clear();
    for (const pet of await listAll(store)) this.pets.set(pet.id, JSON.stringify(pet));
  }

  /** Reads one page through whichever service; returns how many events it had. */
  async read(store: Store, limit: number): Promise<number> {
    if (!this.#position) await this.list(store);
    const page = await store.events.listEvents({ after: this.#position!, limit });
    const events = JSON.parse(page.json) as Event[];
    this.#position = page.next;
    for (const { id, type, petId, pet } of events) {
      this.ids.push(id);
      if (type === 'pets.imported') {
        for (const listed of await listAll(store)) this.pets.set(listed.id, JSON.stringify(listed));
      } else if (type === 'pet.deleted') this.pets.delete(petId);
      else this.pets.set(petId, JSON.stringify(pet));
    }
    return events.length;
  }
}

async function listAll({ pets }: Store): Promise<Pet[]> {
  const all: Pet[] = [];
  for (let after = 0n; ;) {
    const { json, next } = await pets.listPets({ limit: 100, after });
    all.push(...(JSON.parse(json) as Pet[]));
    if (next === undefined) return all;
    after = next;
  }
}

async function change({ pets }: Store, random: Random): Promise<void> {
  const id = BigInt(between(random, 1, 60));
  const name = `Rex ${random.next()}`;
  if (random.next() < 0.5) await pets.createPet({ name, categoryId: 1n });
  else if (random.next() < 0.6) await codeOf(pets.updatePet(id, { changes: { name } }));
  else await codeOf(pets.deletePet(id));
}

onEveryStore(`a mirror (SEED=${seed})`, ({ open, place }) => {
  it('equals the listing after random changes by two services, while readers resume', async () => {
    const random = randomFrom(seed);
    const services = [await open(), await open()];
    const imports = await place().openImport();
    const mirrors = [new Mirror(), new Mirror()];
    for (const mirror of mirrors) await mirror.list(services[0]!);
    let isWriting = true;

    const write = async (store: Store): Promise<void> => {
      for (let round = 0; round < 25; round++)
        await Promise.all(Array.from({ length: between(random, 1, 8) }, () => change(store, random)));
    };
    const follow = async (mirror: Mirror): Promise<void> => {
      // Reads once more after the last write: what is missing then is missing for good.
      for (let wasWriting = true, count = 1; wasWriting || count > 0;) {
        wasWriting = isWriting;
        count = await mirror.read(random.pick(services), between(random, 1, 100));
        if (count === 0) await Bun.sleep(1);
      }
    };
    const importSome = async (): Promise<void> => {
      for (let count = 1; count <= 5; count++)
        await imports.addPets(Array.from({ length: count }, () => ({ name: 'Imported', categoryId: 2n })));
      await imports.close();
    };
    const following = mirrors.map(follow);
    await Promise.all([...services.map(write), importSome()]);
    isWriting = false;
    await Promise.all(following);

    const pets = (await listAll(services[0]!)).map((pet) => JSON.stringify(pet));
    const newest = Number((await services[0]!.events.listEvents({ after: 'now', limit: 1 })).next.id);
    for (const { pets: mirrored, ids } of mirrors) {
      expect([...mirrored].toSorted(([one], [other]) => one - other).map(([, pet]) => pet)).toEqual(pets);
      expect(ids).toEqual(Array.from({ length: newest }, (_, index) => index + 1));
    }
  });
});
