import { sendAll, type Api, type ApiRequest } from '../api.ts';
import { checksOf, type Entry } from '../check.ts';
import { expectError, expectJsonType, expectValues } from '../expectations.ts';
import { expectStatus, expectThat } from '../mismatch.ts';
import { createPet, getPet, newPet, post, readPet, renderPet, type SentPet } from '../pets.ts';
import { statuses } from '../rules.ts';
import { sampleWith } from '../samples.ts';
import { expectCount, findWholeList } from '../whole-list.ts';

const newIds = 'every pet gets a new id';

/** `POST /pets` with a valid body. */
export const createChecks = checksOf('contract', 'create', [
  [
    'returns-pet',
    'POST /pets responds with 201 and the pet as it was sent, as application/json.',
    async (api) => {
      const sent = { ...newPet(api, 'created', '7'), status: 'pending' };
      const exchange = await api.send(post(renderPet(sent)));
      expectValues(exchange, readPet(exchange, 201), sent);
      expectJsonType(exchange);
    },
  ],
  [
    'every-status',
    'A pet may be created with each status.',
    async (api) => {
      for (const status of statuses) {
        const { sent, created } = await sampleWith(api, status);
        expectValues(await getPet(api, created.id), created, sent);
      }
    },
  ],
  [
    'without-status',
    'A pet may be created without a status; it then has none or a default, and the field is never null.',
    async (api) => {
      const sent = newPet(api, 'without status');
      const exchange = await api.send(post(renderPet(sent)));
      expectValues(exchange, readPet(exchange, 201), sent);
    },
  ],
  [
    'same-pet-twice',
    'Two creates of the same pet make two pets.',
    async (api) => {
      const sent = newPet(api, 'twin');
      const first = await createPet(api, sent);
      const exchange = await api.send(post(renderPet(sent)));
      const second = readPet(exchange, 201);
      const expected = `another id than ${first.id}, which the first pet has`;
      expectThat(first.id !== second.id, exchange, expected, undefined, newIds);
    },
  ],
  [
    'assigns-id',
    'The service assigns the id: it refuses or ignores an id in the body, and the pet with that id stays.',
    async (api) => {
      const { sent, created } = await sampleWith(api, 'sold');
      const body = renderPet(newPet(api, 'with an id')).replace('{', `{"id":${created.id},`);
      const exchange = await api.send(post(body));
      if (exchange.status === 201) {
        expectThat(
          readPet(exchange, 201).id !== created.id,
          exchange,
          `another id than ${created.id}, which is taken`,
          undefined,
          `${newIds} > although one was sent`,
        );
      } else expectStatus(exchange, 400);
      const pet = await getPet(api, created.id);
      expectValues(pet, readPet(pet), sent, created);
    },
  ],
  [
    'keeps-text',
    'A name is returned and kept exactly as it was sent: accents, emoji, quotes, spaces.',
    async (api) => {
      const texts = [
        'e\u0301 \u00e9 ß 犬 كلب',
        '🐈‍⬛👨‍👩‍👧',
        'quote " backslash \\ slash / two  spaces, & <b>markup</b>',
      ];
      await Promise.all(texts.map((text) => expectKept(api, { ...newPet(api, text), status: 'sold' })));
    },
  ],
  [
    'keeps-control-characters',
    'A name with tabs and line ends is kept exactly, or refused with 400.',
    (api) => expectKeptOrRefused(api, 'tab \t line \r\n end'),
  ],
  [
    'keeps-outer-spaces',
    'A name with spaces at its ends is kept exactly, or refused with 400.',
    (api) => expectKeptOrRefused(api, 'two spaces  '),
  ],
  [
    'keeps-long-name',
    'A name of 200 characters is kept to the last one, or refused with 400.',
    (api) => expectKeptOrRefused(api, 'long '.repeat(40).trim()),
  ],
  [
    'any-order-of-fields',
    'The order and the spacing of the fields do not matter.',
    async (api) => {
      const { name, categoryId, status } = { ...newPet(api, 'reordered'), status: 'sold' };
      const body = `\n{ "status" : "${status}",\t"categoryId": ${categoryId} , "name": ${JSON.stringify(name)} }\n`;
      const exchange = await api.send(post(body));
      expectValues(exchange, readPet(exchange, 201), { name, categoryId, status });
    },
  ],
]);

type BodiesOf = (name: string, category: string) => string[];

/** Bodies that are refused with 400. `name` and `category` would be valid on their own. */
const invalidPets: [what: string, rule: string, bodies: BodiesOf][] = [
  ['without-fields', 'An object without name and categoryId', () => ['{}', '{"status":"sold"}']],
  [
    'without-name',
    'A body without name',
    (_, category) => [`{${category}}`, `{${category},"status":"sold"}`],
  ],
  ['without-category', 'A body without categoryId', (name) => [`{${name}}`, `{${name},"status":"sold"}`]],
  [
    'name-not-a-string',
    'A name that is not a string',
    (_, category) =>
      ['7', 'true', 'null', '["conform"]', '{}'].map((value) => `{"name":${value},${category}}`),
  ],
  [
    'category-not-an-integer',
    'A categoryId that is not an integer',
    (name) => ['"1"', '1.5', 'true', 'null', '[1]', '{}'].map((value) => `{${name},"categoryId":${value}}`),
  ],
  [
    'category-past-int64',
    'A categoryId outside int64',
    (name) =>
      ['9223372036854775808', '-9223372036854775809'].map((value) => `{${name},"categoryId":${value}}`),
  ],
  [
    'unknown-status',
    'A status that is not a PetStatus',
    (name, category) =>
      ['"lost"', '"Available"', '"sold "', '""', '1', 'true', 'null', '["sold"]'].map(
        (value) => `{${name},${category},"status":${value}}`,
      ),
  ],
  [
    'not-an-object',
    'A body that is not an object',
    (name, category) => ['[]', '7', 'null', '"conform"', `[{${name},${category}}]`],
  ],
];
const invalidJson: typeof invalidPets = [
  [
    'not-json',
    'A body that is not JSON',
    (name, category) => ['{', `{${name},${category}`, 'conform', "{'name':'conform'}"],
  ],
  ['empty', 'A request without a body', () => ['']],
];

/** `POST /pets` with missing fields or invalid values. */
export const invalidCreateChecks = checksOf('contract', 'create-invalid', [
  ...[...invalidPets, ...invalidJson].map(([name, rule, bodies]): Entry => [
    name,
    `${rule} is 400 with an Error as JSON.`,
    async (api) => {
      for (const exchange of await sendAll(api, requestsWith(api, bodies))) expectError(exchange, 400);
    },
  ]),
  [
    'stores-nothing',
    'A create that is refused with 400 stores nothing.',
    async (api) => {
      const list = await findWholeList(api);
      const { name } = newPet(api, 'refused');
      const status = list?.status ? `,"status":"${list.status}"` : '';
      for (const categoryId of ['', ',"categoryId":"x"', ',"categoryId":{}']) {
        const exchange = await api.send(post(`{"name":"${name}"${categoryId}${status}}`));
        // Other checks decide whether it must be refused.
        if (exchange.status === 201) return;
      }
      if (list) await expectCount(api, list, name, 0);
    },
  ],
]);

/** The creates that the contract refuses; the strict profile knows their codes. */
export function invalidCreates(api: Api): Record<'invalidPets' | 'invalidJson', ApiRequest[]> {
  const all = (table: typeof invalidPets) => table.flatMap(([, , bodies]) => requestsWith(api, bodies));
  return { invalidPets: all(invalidPets), invalidJson: all(invalidJson) };
}

function requestsWith(api: Api, bodies: BodiesOf): ApiRequest[] {
  const { name, categoryId } = newPet(api, 'invalid');
  return bodies(`"name":${JSON.stringify(name)}`, `"categoryId":${categoryId}`).map((body) => post(body));
}

async function expectKeptOrRefused(api: Api, text: string): Promise<void> {
  const sent = newPet(api, text);
  const exchange = await api.send(post(renderPet(sent)));
  if (exchange.status !== 400) expectValues(exchange, readPet(exchange, 201), sent);
}

async function expectKept(api: Api, sent: SentPet): Promise<void> {
  const exchange = await api.send(post(renderPet(sent)));
  const created = readPet(exchange, 201);
  expectValues(exchange, created, sent);
  const pet = await getPet(api, created.id);
  expectValues(pet, readPet(pet), sent, created);
}
