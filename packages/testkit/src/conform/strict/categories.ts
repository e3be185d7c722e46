import type { Api, ApiRequest, Exchange } from '../api.ts';
import { checksOf, type Entry } from '../check.ts';
import { expectOutcome, expectOutcomes } from '../errors.ts';
import { toInt64 } from '../exact-json.ts';
import { expectHeader, expectHeaderMatch, expectStatus, expectThat } from '../mismatch.ts';
import { createPet, getPet, isObject, newPet, parseBody, readArray, readPet } from '../pets.ts';
import { findEnd, follow } from './events.ts';

/** Names for the numbers of categories, if the service has them. */
export const categoryChecks = checksOf('strict', 'categories', [
  withNumber(
    'put',
    'PUT is 201 with Location for a first name and 200 afterwards; the list has the name until DELETE.',
    async (api, id) => {
      const first = await put(api, id, 'Dogs', 201);
      expectHeader(first, 'Location', `/v1/categories/${id}`);
      const last = await put(api, id, ' Łucja’s “cats” 🐈 ', 200);
      expectHeader(last, 'Location', undefined);
      await expectListed(api, textOf(parseBody(last)));
      await expectOutcome(api, removeRequest(id), '204');
      await expectOutcome(api, removeRequest(id), '404 not_found');
    },
  ),
  withNumber(
    'get',
    'GET of a number is its category with the ETag that PUT has sent, or 404 if the number has no name.',
    async (api, id) => {
      const path = `/categories/${id}`;
      await expectOutcome(api, { path }, '404 not_found');
      const first = await put(api, id, 'Dogs', 201);
      const exchange = await api.send({ path });
      expectStatus(exchange, 200);
      expectThat(textOf(parseBody(exchange)) === `${id} Dogs`, exchange, `the category ${id}, Dogs`);
      expectHeader(exchange, 'ETag', first.headers.get('ETag') ?? '');
      await expectOutcome(api, removeRequest(id), '204');
      await expectOutcome(api, { path }, '404 not_found');
    },
  ),
  withNumber(
    'preconditions',
    'If-None-Match: * names only a number without a name; a category that If-Match does not list is 412 and stays.',
    async (api, id) => {
      const refused = '412 precondition_failed';
      const free = { 'If-None-Match': '*' };
      await expectOutcome(api, nameRequest(id, 'Dogs', { 'If-Match': '*' }), refused);
      const first = await put(api, id, 'Dogs', 201, free);
      await expectOutcome(api, nameRequest(id, 'Cats', free), refused);
      await expectListed(api, `${id} Dogs`);
      const seen = { 'If-Match': first.headers.get('ETag') ?? '' };
      await put(api, id, 'Cats', 200, seen);
      await expectOutcome(api, nameRequest(id, 'Birds', seen), refused);
      await expectOutcome(api, { ...removeRequest(id), headers: seen }, refused);
    },
  ),
  withNumber('pets', 'Pets keep their number when their category loses its name.', async (api, id) => {
    const pet = await createPet(api, { ...newPet(api, 'category'), categoryId: String(id) });
    await put(api, id, 'Dogs', 201);
    await expectOutcome(api, removeRequest(id), '204');
    const exchange = await getPet(api, pet.id);
    expectThat(readPet(exchange).categoryId === id, exchange, `the categoryId ${id}, as it was sent`);
  }),
  withNumber(
    'events',
    'Naming, renaming and removing are one event each; giving a number the same name again is not an event.',
    async (api, id) => {
      const start = (await findEnd(api)) ?? '';
      for (const name of ['Dogs', 'Dogs', 'Cats']) await api.send(nameRequest(id, name));
      await api.send(removeRequest(id));
      const { events, last } = await follow(api, start);
      const own = events.map(({ text }) => text).filter((text) => text.endsWith(` ${id}`));
      const expected = ['updated', 'updated', 'deleted'].map((type) => `category.${type} ${id}`);
      expectThat(own.join() === expected.join(), last, expected.join(', '), own.join(', ') || 'none');
    },
  ),
  withNumber(
    'invalid',
    'A blank, long or malformed name is 400 invalid_category, and a number that is not a canonical int64 is 404.',
    async (api, id) => {
      const names = ['""', '" \\t"', `"${'x'.repeat(101)}"`, '"a\\u0000"', '"\\ud83d"', '7', 'null'];
      const requests = names.map((name) => Object.assign(nameRequest(id, ''), { body: `{"name":${name}}` }));
      await expectOutcomes(api, requests, '400 invalid_category');
      const numbers = ['01', '1.0', 'x', '9223372036854775808'];
      const missing = numbers.flatMap((number) => [
        { path: `/categories/${number}` },
        nameRequest(number, 'Dogs'),
        removeRequest(number),
      ]);
      await expectOutcomes(api, missing, '404 not_found');
      await put(api, id, '🐈'.repeat(100), 201);
    },
  ),
]);

/** A check of a number that surely has no name. It passes if the service has only stable operations. */
function withNumber(name: string, rule: string, run: (api: Api, id: bigint) => Promise<void>): Entry {
  const runWithNumber = async (api: Api): Promise<void> => {
    const exchange = await api.send({ path: '/categories' });
    if (exchange.status === 404) return;
    expectHeader(exchange, 'Petstore-Stability', 'experimental');
    // So low that the first page of the list has it.
    const id = BigInt(`0x${crypto.randomUUID().slice(0, 8)}`) - 2n ** 63n;
    try {
      await run(api, id);
    } finally {
      await api.send(removeRequest(id));
    }
  };
  return [name, rule, runWithNumber];
}

function nameRequest(id: bigint | string, name: string, conditions: Record<string, string> = {}): ApiRequest {
  const headers = { 'Content-Type': 'application/json', ...conditions };
  return { method: 'PUT', path: `/categories/${id}`, headers, body: JSON.stringify({ name }) };
}

function removeRequest(id: bigint | string): ApiRequest {
  return { method: 'DELETE', path: `/categories/${id}` };
}

/** Fails unless the response has this status, an ETag, and what was sent. */
async function put(api: Api, id: bigint, name: string, status: number, headers = {}): Promise<Exchange> {
  const exchange = await api.send(nameRequest(id, name, headers));
  expectStatus(exchange, status);
  expectHeaderMatch(exchange, 'ETag', /^"[^"]+"$/);
  expectThat(textOf(parseBody(exchange)) === `${id} ${name}`, exchange, `the category ${id}, ${name}`);
  return exchange;
}

/** Such as `7 Cats`. */
function textOf(category: unknown): string {
  return isObject(category) ? `${toInt64(category['id'])} ${String(category['name'])}` : '';
}

async function expectListed(api: Api, text: string): Promise<void> {
  const exchange = await api.send({ path: '/categories?limit=100' });
  expectThat(readArray(exchange).map(textOf).includes(text), exchange, `the category ${text} in the list`);
}
