import type { Api, Exchange } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectOutcome, expectOutcomes } from '../errors.ts';
import { expectHeader, expectThat } from '../mismatch.ts';
import { listPets, newPet, post, readPet, readPets, renderPet } from '../pets.ts';
import { limits } from '../rules.ts';

const replayed = 'Idempotent-Replayed';
const goodKeys = ['~!{x}', `it's,one`, 'a"b'];
const badKeys = ['', 'a b', '""', '"a', '"a"b"', 'ä', '"a", "b"', 'k'.repeat(256), `"${'k'.repeat(256)}"`];

/** `Idempotency-Key` on a create. */
export const idempotencyChecks = checksOf('strict', 'idempotency', [
  [
    'replay',
    'The same key and pet return the first 201 again, marked as replayed, and create nothing.',
    async (api) => {
      const body = renderPet(newPet(api, 'replayed'));
      const first = await create(api, 'replay', body);
      expectHeader(first, replayed, undefined);
      for (let repeat = 0; repeat < 3; repeat++) {
        const again = await create(api, 'replay', body);
        expectReplay(again, first);
        expectHeader(again, 'Location', first.headers.get('Location') ?? undefined);
        expectThat(again.text === first.text, again, `the body of the first 201: ${first.text}`);
      }
      await expectOneNamed(api, 'replayed');
    },
  ],
  [
    'other-spelling',
    'The same pet in another spelling is the same request.',
    async (api) => {
      const { name } = newPet(api, 'spelled');
      const first = await create(api, 'spelling', `{"name":"${name}","categoryId":100}`);
      for (const body of [
        `{ "categoryId": 1e2, "name": "\\u0063${name.slice(1)}" }`,
        `{"id":9,"name":"${name}","categoryId":100.0,"x":1}`,
      ]) {
        expectReplay(await create(api, 'spelling', body), first);
      }
      await expectOneNamed(api, 'spelled');
    },
  ],
  [
    'conflict',
    'The same key with another pet is 422 idempotency_conflict and creates nothing, even past 2^53.',
    async (api) => {
      const sent = { ...newPet(api, 'in conflict'), categoryId: '9007199254740992', status: 'sold' };
      const first = await create(api, 'conflict', renderPet(sent));
      const others = [
        newPet(api, 'in conflict'),
        { ...sent, status: 'pending' },
        { ...sent, name: `${sent.name} ` },
        { ...sent, categoryId: '9007199254740993' },
      ];
      for (const other of others) {
        await expectOutcome(api, post(renderPet(other), keyOf(api, 'conflict')), '422 idempotency_conflict');
      }
      expectReplay(await create(api, 'conflict', renderPet(sent)), first);
      await expectOneNamed(api, 'in conflict');
    },
  ],
  [
    'case-and-quotes',
    'A key is case-sensitive, and the same with and without quotes.',
    async (api) => {
      const body = renderPet(newPet(api, 'of two cases'));
      const [lower, upper] = [await create(api, 'case', body), await create(api, 'CASE', body)];
      expectHeader(upper, replayed, undefined);
      expectThat(readPet(upper, 201).id !== readPet(lower, 201).id, upper, 'another pet');
      const quoted = post(body, { 'Idempotency-Key': `"${keyOf(api, 'case')['Idempotency-Key']}"` });
      expectReplay(await expectOutcome(api, quoted, '201'), lower);
    },
  ],
  [
    'good-keys',
    'A key is 1 to 255 visible characters, bare or quoted.',
    async (api) => {
      const body = renderPet(newPet(api, 'with a good key'));
      const longest = `${api.runId}${'k'.repeat(255 - api.runId.length)}`;
      const quoted = `"${api.runId}${'q'.repeat(253 - api.runId.length)}"`;
      const keys = [...goodKeys.map((key) => `${key}${api.runId}`), longest, quoted];
      for (const key of keys) await expectOutcome(api, post(body, { 'Idempotency-Key': key }), '201');
    },
  ],
  [
    'bad-keys',
    'Any other key is 400 invalid_parameter and creates nothing. On GET, a key is ignored.',
    async (api) => {
      const body = renderPet(newPet(api, 'with a bad key'));
      const requests = badKeys.map((key) => post(body, { 'Idempotency-Key': key }));
      await expectOutcomes(api, requests, '400 invalid_parameter');
      await expectOneNamed(api, 'with a bad key', 0);
      await expectOutcome(api, { path: '/pets', headers: { 'Idempotency-Key': '' } }, '200');
    },
  ],
  [
    'failed-validation',
    'A create that is refused does not use its key up.',
    async (api) => {
      const headers = keyOf(api, 'refused-first');
      await expectOutcome(api, post('{}', headers), '400 invalid_pet');
      await expectOutcome(api, post('{', headers), '400 invalid_json');
      const body = renderPet(newPet(api, 'after a refusal'));
      expectHeader(await expectOutcome(api, post(body, headers), '201'), replayed, undefined);
    },
  ],
]);

function keyOf(api: Api, name: string) {
  return { 'Idempotency-Key': `conform-${api.runId}-${name}` };
}

function create(api: Api, key: string, body: string): Promise<Exchange> {
  return expectOutcome(api, post(body, keyOf(api, key)), '201');
}

function expectReplay(again: Exchange, first: Exchange): void {
  expectHeader(again, replayed, 'true');
  const { id } = readPet(first, 201);
  expectThat(readPet(again, 201).id === id, again, `the pet ${id} again`);
}

/** Passes if the list is full, because later pets cannot be counted. */
async function expectOneNamed(api: Api, what: string, expected = 1): Promise<void> {
  const exchange = await listPets(api, '?limit=100');
  const pets = readPets(exchange);
  if (pets.length >= limits.largest) return;
  const count = pets.filter(({ name }) => String(name).trimEnd() === newPet(api, what).name).length;
  expectThat(count === expected, exchange, `${expected} of the pets of this check`, `${count}`);
}
