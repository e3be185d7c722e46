import type { Api } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectValues } from '../expectations.ts';
import { describeResponse, expectThat } from '../mismatch.ts';
import { getPet, listPets, readList, readPet, readPets } from '../pets.ts';
import { sampleWith, samples } from '../samples.ts';

/** Reads change nothing, and no request changes what a later read means. */
export const readChecks = checksOf('contract', 'reads', [
  [
    'same-list',
    'The same list twice is the same list, while nobody creates pets.',
    async (api) => {
      await samples(api);
      for (const query of ['', '?limit=7', '?limit=100', '?status=sold', '?status=pending&limit=2']) {
        await expectSame(api, `/pets${query}`);
      }
    },
  ],
  [
    'same-pet',
    'The same pet twice is the same pet.',
    async (api) => {
      for (const { created } of (await samples(api)).slice(0, 4))
        await expectSame(api, `/pets/${created.id}`);
    },
  ],
  [
    'list-after-list',
    'A limit and a filter count for one request: the next list without them has neither.',
    async (api) => {
      await samples(api);
      const before = await readList(api);
      await readList(api, '?limit=1&status=sold');
      const exchange = await listPets(api);
      const { length } = readPets(exchange);
      expectThat(length === before.length, exchange, `${before.length} pets, as before`, `${length} pets`);
    },
  ],
  [
    'change-nothing',
    'Lists and fetches change no pet and create none.',
    async (api) => {
      const { sent, created } = await sampleWith(api, 'available');
      const count = async () => (await readList(api, '?limit=100')).length;
      const before = await count();
      for (let repeat = 0; repeat < 3; repeat++) {
        await readList(api, '?status=available');
        await getPet(api, created.id);
      }
      const found = await getPet(api, created.id);
      expectValues(found, readPet(found), sent);
      const exchange = await listPets(api, '?limit=100');
      const { length } = readPets(exchange);
      expectThat(length >= before, exchange, `${before} pets, as before`, `${length} pets`);
    },
  ],
  [
    'refused-create-stores-nothing',
    'A create that is refused with 400 stores nothing.',
    async (api) => {
      const name = `conform ${api.runId} refused`;
      const bodies = [`{"name":"${name}"}`, `{"name":"${name}","categoryId":1,"status":"lost"}`];
      for (const body of bodies) {
        await api.send({
          method: 'POST',
          path: '/pets',
          headers: { 'Content-Type': 'application/json' },
          body,
        });
      }
      const exchange = await listPets(api, '?limit=100');
      const isThere = readPets(exchange).some((pet) => pet.name === name);
      expectThat(!isThere, exchange, `no pet with the name "${name}"`);
    },
  ],
]);

const attempts = 3;

/** Another caller may add a pet between two reads, so one pair of equal responses is enough. */
async function expectSame(api: Api, path: string): Promise<void> {
  let before = await api.send({ path });
  for (let attempt = 1; ; attempt++) {
    const after = await api.send({ path });
    if (after.text === before.text && after.status === before.status) return;
    expectThat(attempt < attempts, after, `the same response as before: ${describeResponse(before)}`);
    before = after;
  }
}
