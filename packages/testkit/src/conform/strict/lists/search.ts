import type { Api, Exchange } from '../../api.ts';
import { checksOf, type Entry } from '../../check.ts';
import { expectOutcomes } from '../../errors.ts';
import { renderExactJson, toInt64 } from '../../exact-json.ts';
import { expectPets } from '../../expectations.ts';
import { expectHeader, expectStatus, expectThat } from '../../mismatch.ts';
import { createPet, isObject, readArray, type SeenPet } from '../../pets.ts';
import { nextQuery } from '../../walk.ts';

/** Searches, a pet's orders and the caller's key, if the service has them. */
export const searchChecks = checksOf('strict', 'search', [
  withShop(
    'folded',
    'A search finds every word of q in a name, whatever its case and diacritics; % and _ are ordinary characters.',
    async (api, { mark, lucja, strasse }) => {
      await expectFound(api, `q=${mark}+lucja`, [lucja]);
      await expectFound(api, `q=STRASSE+${mark}`, [strasse]);
      await expectFound(api, `q=${mark}`, [strasse, lucja]);
      await expectFound(api, `q=${mark}+%25`, [strasse]);
      await expectFound(api, `q=${mark}+l_cja`, []);
    },
  ),
  withShop(
    'filters',
    'The parameters of a search combine with AND, newest first unless sort says otherwise.',
    async (api, { mark, lucja, strasse }) => {
      await expectFound(api, `q=${mark}&sort=oldest`, [lucja, strasse]);
      await expectFound(api, `q=${mark}&categoryId=-9223372036854775808`, [strasse]);
      await expectFound(api, `q=${mark}&status=available`, [lucja]);
      await expectFound(api, `id=${lucja.id}`, [lucja]);
      await expectFound(api, `id=${lucja.id}&status=sold`, []);
    },
  ),
  withShop(
    'pages',
    'A search has pages by Link, and its cursors are bound to their query.',
    async (api, { mark, lucja, strasse }) => {
      const first = await expectFound(api, `q=${mark}&limit=1`, [strasse]);
      const next = nextQuery(first) ?? '';
      await expectFound(api, next.slice(1), [lucja]);
      const cursor = new URLSearchParams(next).get('cursor') ?? '';
      const others = ['', `q=${mark}x&`, `q=${mark}&sort=oldest&`, `q=${mark}&status=sold&`];
      const requests = others.map((other) => ({ path: `/pets/search?${other}cursor=${cursor}` }));
      await expectOutcomes(api, requests, '400 invalid_cursor');
    },
  ),
  [
    'parameters',
    'A bad value of a parameter of a search is 400 invalid_parameter.',
    async (api) => {
      if (await isStableOnly(api)) return;
      const long = 'x'.repeat(101);
      const bad = [
        'q=%20',
        'q=%CC%81',
        `q=${long}`,
        'q=a&q=b',
        'id=01',
        'categoryId=1.0',
        'sort=up',
        'limit=101',
      ];
      const requests = bad.map((query) => ({ path: `/pets/search?${query}` }));
      await expectOutcomes(api, requests, '400 invalid_parameter');
    },
  ],
  withShop(
    'orders',
    'An order names the API key that wrote it and the pet as sold. Orders are filtered by petId and by time.',
    async (api, { strasse }) => {
      const key = await readKey(api);
      const path = `/store/orders?petId=${strasse.id}&sort=newest`;
      const until = '2100-01-01T00:00:00%2B01:00';
      const exchange = await api.send({ path: `${path}&until=${until}` });
      expectHeader(exchange, 'Petstore-Stability', 'beta');
      const [order, ...others] = readArray(exchange);
      const { createdBy, name, categoryId } = isObject(order) ? order : {};
      const isBy = others.length === 0 && createdBy === key['name'];
      expectThat(isBy, exchange, `one order by ${renderExactJson(key['name'])}`);
      const isSold = name === strasse.name && toInt64(categoryId) === strasse.categoryId;
      expectThat(isSold, exchange, 'the name and the categoryId of the pet as sold');
      const later = await api.send({ path: `${path}&since=${until}` });
      expectThat(readArray(later).length === 0, later, 'no order of a time to come');
      await expectOutcomes(api, [{ path: `${path}&since=2100-01-01T00:00` }], '400 invalid_parameter');
    },
  ),
  [
    'key',
    'GET /key describes the key of the caller: its name, whether it may only read, and whether it may delete.',
    async (api) => {
      if (!(await isStableOnly(api))) await readKey(api);
    },
  ],
]);

interface Shop {
  /** A word that occurs only in these pets' names. */
  mark: string;
  lucja: SeenPet;
  strasse: SeenPet;
}

async function isStableOnly(api: Api): Promise<boolean> {
  return (await api.send({ path: '/key' })).status === 404;
}

/** A check of pets made for it. It passes if the service has only stable operations. */
function withShop(name: string, rule: string, run: (api: Api, shop: Shop) => Promise<void>): Entry {
  const runWithShop = async (api: Api): Promise<void> => {
    if (!(await isStableOnly(api))) await run(api, await makeShop(api));
  };
  return [name, rule, runWithShop];
}

async function makeShop(api: Api): Promise<Shop> {
  const mark = `s${api.runId}${crypto.randomUUID().slice(0, 8)}`.toLowerCase();
  const pet = { name: `Łucja ${mark}`, categoryId: '1', status: 'available' };
  const lucja = await createPet(api, pet);
  const other = { name: `${mark}-Straße 50%`, categoryId: '-9223372036854775808', status: 'sold' };
  return { mark, lucja, strasse: await createPet(api, other) };
}

async function expectFound(api: Api, query: string, pets: SeenPet[]): Promise<Exchange> {
  const exchange = await api.send({ path: `/pets/search?${query}` });
  expectHeader(exchange, 'Petstore-Stability', 'beta');
  expectPets(exchange, pets);
  return exchange;
}

async function readKey(api: Api): Promise<Record<string, unknown>> {
  const exchange = await api.send({ path: '/key' });
  expectStatus(exchange, 200);
  expectHeader(exchange, 'Petstore-Stability', 'beta');
  const key = JSON.parse(exchange.text) as Record<string, unknown>;
  const isKey = typeof key['name'] === 'string' && typeof key['readOnly'] === 'boolean';
  expectThat(isKey && typeof key['mayDelete'] === 'boolean', exchange, 'a name, readOnly and mayDelete');
  return key;
}
