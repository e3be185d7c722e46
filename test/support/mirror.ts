import {
  isPetstoreError,
  isTemporary,
  type Pet,
  type PetstoreClient,
} from '../../packages/client/src/index.ts';
import { between, type Random } from './random.ts';

/** One of the services that a mirror reads from. */
export type MirrorSource = Pick<PetstoreClient, 'listEvents' | 'pets'>;

/** A copy of the pets that is built from events. It keeps a cursor and nothing else about the log. */
export class Mirror {
  readonly #pets = new Map<bigint, string>();
  /** Every event since it began, in the order in which it was given them. */
  readonly #ids: bigint[] = [];
  #start: string | undefined;
  #after: string | undefined;
  /** How many events it was given in all. */
  events = 0;
  /** How often its cursor was refused, so that it began again. */
  restarts = 0;

  /** Reads one page; returns how many events it had. After a failure, the next read resumes from the same cursor. */
  async read(source: MirrorSource, limit: number, wait: number): Promise<number> {
    if (this.#after === undefined) return this.#begin(source);
    const page = await source.listEvents({ after: this.#after, limit, wait }).catch((error: unknown) => {
      if (!isPetstoreError(error, 'events_gone')) throw error;
      this.restarts += 1;
      this.#after = undefined;
    });
    if (!page) return this.#begin(source);
    for (const { id, type, petId, pet } of page.events) {
      this.#ids.push(id);
      if (petId !== undefined && type === 'pet.deleted') this.#pets.delete(petId);
      else if (petId !== undefined && pet) this.#pets.set(petId, textOf(pet));
    }
    this.#after = page.after;
    this.events += page.events.length;
    return page.events.length;
  }

  /** Takes the cursor first, then the pets: what changes meanwhile is applied twice, which changes nothing. */
  async #begin(source: MirrorSource): Promise<number> {
    const { after } = await source.listEvents({ after: 'now' });
    const pets = await listPets(source);
    this.#pets.clear();
    for (const [id, text] of pets) this.#pets.set(id, text);
    this.#ids.length = 0;
    this.#start = this.#after = after;
    return pets.size;
  }

  /** Compares it with the store and with the log, once nothing changes any more. */
  async findFaults(source: MirrorSource): Promise<string[]> {
    const pets = await listPets(source);
    const logged = new Set<bigint>();
    for (let after = this.#start, count = 1; count > 0;) {
      const page = await source.listEvents({ after, limit: 100 });
      for (const { id } of page.events) logged.add(id);
      after = page.after;
      count = page.events.length;
    }
    const seen = new Set(this.#ids);
    const counts = {
      'pets differ from the listing': new Set([...pets, ...this.#pets].map(([id]) => id))
        .values()
        .filter((id) => pets.get(id) !== this.#pets.get(id))
        .toArray().length,
      'events are missing': logged.difference(seen).size,
      'events are not in the log': seen.difference(logged).size,
      'events came twice': this.#ids.length - seen.size,
      'events came out of order': this.#ids.filter((id, index) => id < (this.#ids[index - 1] ?? id)).length,
    };
    return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
  }
}

async function listPets(source: MirrorSource): Promise<Map<bigint, string>> {
  const pets = new Map<bigint, string>();
  for await (const pet of source.pets({ limit: 100 })) pets.set(pet.id, textOf(pet));
  return pets;
}

function textOf({ name, categoryId, status }: Pet): string {
  return JSON.stringify([name, String(categoryId), status]);
}

/** Mirrors that read on and on, each page through any of the services. */
export interface FollowingMirrors extends Disposable {
  /** Reads to the end of the log, and compares. */
  stop(): Promise<FollowedEvents>;
}

/** What all of the mirrors have seen. */
export interface FollowedEvents {
  events: number;
  restarts: number;
  faults: string[];
}

/** How long services may take to be whole again after the stop. */
const patienceMs = 60_000;

export function followWithMirrors(count: number, pick: () => MirrorSource, random: Random): FollowingMirrors {
  const mirrors = Array.from({ length: count }, () => new Mirror());
  let giveUpAt = Infinity;
  const attempt = async <Result>(action: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await action();
      } catch (error) {
        if (!isTemporary(error) || performance.now() > giveUpAt) throw error;
        await Bun.sleep(20);
      }
    }
  };
  const follow = async (mirror: Mirror): Promise<void> => {
    // Reads once more after the stop: what is missing then is missing for good.
    for (let wasStopped = false, read = 1; !wasStopped || read > 0;) {
      wasStopped = giveUpAt !== Infinity;
      const [limit, wait] = [between(random, 1, 100), random.pick([0, 0, 1])];
      read = await attempt(() => mirror.read(pick(), limit, wait));
      if (read === 0) await Bun.sleep(5);
    }
  };
  const running = Promise.all(mirrors.map(follow));
  running.catch(() => {});
  return {
    async stop() {
      giveUpAt = performance.now() + patienceMs;
      const followed: FollowedEvents = { events: 0, restarts: 0, faults: [] };
      const asFault = (error: unknown) => [`a mirror broke off: ${String(error)}`];
      followed.faults.push(...(await running.then(() => [], asFault)));
      for (const mirror of mirrors) {
        giveUpAt = performance.now() + patienceMs;
        followed.events += mirror.events;
        followed.restarts += mirror.restarts;
        followed.faults.push(...(await attempt(() => mirror.findFaults(pick())).catch(asFault)));
      }
      return followed;
    },
    [Symbol.dispose]: () => void (giveUpAt = 0),
  };
}
