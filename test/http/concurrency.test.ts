import { describe, expect, it } from 'bun:test';
import { addPets, idsOf, post, walkPages } from '../support/http/calls.ts';
import { checkedFetch, type Call } from '../support/contract/conformance.ts';
import { openService, type Service } from '../support/http/service.ts';
import { listen, type Listening } from '../support/http/socket.ts';

const creators = 200;
const petsPerCreator = 5;
const walkers = 8;

describe('200 creators and several page walkers', () => {
  it('get an id of its own for every pet, and each walk sees every pet that existed at its start exactly once', async () => {
    await using service = await openService();
    await using server = listen(service.app);
    const call = callOver(server, service);
    const acknowledged = new Map<string, string>((await addPets(call, 50)).map((id) => [id, 'Rex']));
    const running = new Set(Array.from({ length: creators }, (_, creator) => creator));

    const createSome = async (creator: number): Promise<void> => {
      using stack = new DisposableStack();
      stack.defer(() => running.delete(creator));
      for (let count = 0; count < petsPerCreator; count++) {
        const name = `pet ${creator}.${count}`;
        const status = count % 2 === 0 ? 'sold' : undefined;
        const response = await call('/v1/pets', post({ name, categoryId: creator, status }));
        const id = idsOf(await response.text())[0] ?? '';
        expect(response.status).toBe(201);
        expect(acknowledged.has(id)).toBe(false);
        acknowledged.set(id, name);
      }
    };

    const walkWhileCreating = async (walker: number): Promise<number> => {
      let walks = 0;
      do {
        const atStart = [...acknowledged.keys()];
        const seen = (await walkPages(call, `?limit=${7 + walker * 13}`)).flat();
        const seenSet = new Set(seen);
        expect(seenSet.size).toBe(seen.length);
        expect(seen).toEqual(ascending(seen));
        expect(atStart.filter((id) => !seenSet.has(id))).toEqual([]);
        walks++;
        // In-process reads never leave the microtask queue; without this the acknowledgements would never arrive.
        await Bun.sleep(0);
      } while (running.size > 0);
      return walks;
    };

    const creating = Array.from({ length: creators }, (_, creator) => createSome(creator));
    const walking = Array.from({ length: walkers }, (_, walker) => walkWhileCreating(walker));
    const [walks] = await Promise.all([Promise.all(walking), Promise.all(creating)]);
    expect(walks.every((count) => count >= 1)).toBe(true);

    expect(acknowledged.size).toBe(50 + creators * petsPerCreator);
    const present = (await walkPages(call, '?limit=100')).flat();
    expect(present).toEqual(ascending([...acknowledged.keys()]));
    for (const id of present.filter((_, index) => index % 37 === 0)) {
      const pet = (await (await call(`/v1/pets/${id}`)).json()) as { name: string };
      expect(pet.name).toBe(acknowledged.get(id) ?? '');
    }
  });

  it('see their own pets in the very next read', async () => {
    await using service = await openService();
    await using server = listen(service.app);
    const call = callOver(server, service);
    const createAndLook = async (creator: number): Promise<void> => {
      const response = await call(
        '/v1/pets',
        post({ name: `pet ${creator}`, categoryId: 1, status: 'pending' }),
      );
      const id = idsOf(await response.text())[0] ?? '';
      expect((await call(`/v1/pets/${id}`)).status).toBe(200);
      expect((await walkPages(call, '?status=pending&limit=100')).flat()).toContain(id);
    };
    await Promise.all(Array.from({ length: creators }, (_, creator) => createAndLook(creator)));
  });
});

/** Over the socket: calls that never leave the process would not let the event loop turn. */
function callOver({ url }: Listening, { apiKey }: Service): Call {
  return (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${apiKey}`);
    return checkedFetch(url + path, { ...init, headers });
  };
}

function ascending(ids: string[]): string[] {
  return ids.toSorted((one, other) => Number(BigInt(one) - BigInt(other)));
}
