import type { Api } from '../api.ts';
import { checksOf, type Entry } from '../check.ts';
import { expectErrorBody } from '../errors.ts';
import { expectJsonType, expectValues } from '../expectations.ts';
import { expectStatus, expectThat } from '../mismatch.ts';
import { createPet, creating, getPet, named, readPet, renderPet, type SentPet } from '../pets.ts';
import { statuses } from '../rules.ts';
import { sampleWith, samples } from '../samples.ts';
import { expectCount, findWholeList } from '../whole-list.ts';

/** `POST /pets` with a valid body. */
export const createChecks = checksOf('contract', 'create', [
  [
    'returns-pet',
    'POST /pets responds with 201 and the pet as it was sent, as application/json.',
    async (api) => {
      const sent = { ...named(api, 'created'), categoryId: '7', status: 'pending' };
      const exchange = await api.send(creating(renderPet(sent)));
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
    'A pet that is created without a status has none: there is no default, and the field is not null.',
    async (api) => {
      const sent = named(api, 'without status');
      const exchange = await api.send(creating(renderPet(sent)));
      expectValues(exchange, readPet(exchange, 201), sent);
    },
  ],
  [
    'unique-ids',
    'Every created pet gets an id of its own.',
    async (api) => {
      const ids = (await samples(api)).map(({ created }) => created.id);
      const last = await getPet(api, ids.at(-1) ?? 0n);
      expectThat(
        new Set(ids).size === ids.length,
        last,
        'a new id for each pet',
        `the ids ${ids.join(', ')}`,
      );
    },
  ],
  [
    'same-pet-twice',
    'Two creates of the same pet make two pets.',
    async (api) => {
      const sent = named(api, 'twin');
      const first = await createPet(api, sent);
      const exchange = await api.send(creating(renderPet(sent)));
      const second = readPet(exchange, 201);
      expectThat(first.id !== second.id, exchange, `another id than ${first.id}, which the first pet has`);
    },
  ],
  [
    'assigns-id',
    'The service assigns the id: an id in the body is refused or ignored, and replaces no pet.',
    async (api) => {
      const { sent, created } = await sampleWith(api, 'sold');
      const body = renderPet(named(api, 'with an id')).replace('{', `{"id":${created.id},`);
      const exchange = await api.send(creating(body));
      if (exchange.status === 201) {
        expectThat(
          readPet(exchange, 201).id !== created.id,
          exchange,
          `another id than ${created.id}, which is taken`,
        );
      } else expectStatus(exchange, 400);
      const found = await getPet(api, created.id);
      expectValues(found, readPet(found), sent);
    },
  ],
  [
    'keeps-text',
    'A name is returned and kept exactly as it was sent: accents, emoji, quotes, line ends, spaces.',
    async (api) => {
      const texts = [
        'e\u0301 \u00e9 ß 犬 كلب',
        '🐈‍⬛👨‍👩‍👧',
        'quote " backslash \\ slash / tab \t line \n',
        '  two spaces, & <b>markup</b>  ',
      ];
      await Promise.all(texts.map((text) => expectKept(api, named(api, text))));
    },
  ],
  [
    'keeps-long-name',
    'A name of 300 characters is kept to the last one, or refused with 400.',
    async (api) => {
      const sent = named(api, 'long '.repeat(60).trim());
      const exchange = await api.send(creating(renderPet(sent)));
      if (exchange.status === 400) return;
      expectValues(exchange, readPet(exchange, 201), sent);
    },
  ],
  [
    'any-order-of-fields',
    'The order and the spacing of the fields do not matter.',
    async (api) => {
      const { name, categoryId, status } = { ...named(api, 'reordered'), status: 'sold' };
      const body = `\n{ "status" : "${status}",\t"categoryId": ${categoryId} , "name": ${JSON.stringify(name)} }\n`;
      const exchange = await api.send(creating(body));
      expectValues(exchange, readPet(exchange, 201), { name, categoryId, status });
    },
  ],
]);

/** Bodies that are refused with 400. `good` are the fields of a pet that would be accepted. */
const invalidBodies: [name: string, rule: string, bodies: (good: string) => string[]][] = [
  ['without-fields', 'An object without name and categoryId', () => ['{}', '{"status":"sold"}']],
  ['without-name', 'A body without name', () => ['{"categoryId":1}', '{"categoryId":1,"status":"sold"}']],
  ['without-category', 'A body without categoryId', (name) => [`{${name}}`, `{${name},"status":"sold"}`]],
  [
    'name-not-a-string',
    'A name that is no string',
    () => ['7', 'true', 'null', '["conform"]', '{}'].map((value) => `{"name":${value},"categoryId":1}`),
  ],
  [
    'category-not-an-integer',
    'A categoryId that is no integer',
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
    'A status that is no PetStatus',
    (name) =>
      ['"lost"', '"Available"', '"sold "', '""', '1', 'true', 'null', '["sold"]'].map(
        (value) => `{${name},"categoryId":1,"status":${value}}`,
      ),
  ],
  [
    'not-an-object',
    'A body that is no object',
    (name) => ['[]', '7', 'null', '"conform"', `[{${name},"categoryId":1}]`],
  ],
  [
    'not-json',
    'A body that is not JSON',
    (name) => ['{', `{${name},"categoryId":1`, 'conform', "{'name':'conform'}"],
  ],
  ['empty', 'A request without a body', () => ['']],
];

/** `POST /pets` with a body that is missing fields or holds invalid values. */
export const invalidCreateChecks = checksOf('contract', 'create-invalid', [
  ...invalidBodies.map(([name, rule, bodies]): Entry => [
    name,
    `${rule} is 400 with an Error body.`,
    async (api) => {
      const good = `"name":${JSON.stringify(named(api, 'invalid').name)}`;
      const exchanges = await Promise.all(bodies(good).map((body) => api.send(creating(body))));
      for (const exchange of exchanges) {
        expectStatus(exchange, 400);
        expectErrorBody(exchange);
      }
    },
  ]),
  [
    'stores-nothing',
    'A create that is refused with 400 stores nothing.',
    async (api) => {
      const list = await findWholeList(api);
      const { name } = named(api, 'refused');
      const status = list?.status ? `,"status":"${list.status}"` : '';
      for (const categoryId of ['', ',"categoryId":"x"', ',"categoryId":{}']) {
        const exchange = await api.send(creating(`{"name":"${name}"${categoryId}${status}}`));
        // Whether it is refused is up to other checks.
        if (exchange.status === 201) return;
      }
      if (list) await expectCount(api, list, name, 0);
    },
  ],
]);

async function expectKept(api: Api, sent: SentPet): Promise<void> {
  const exchange = await api.send(creating(renderPet(sent)));
  const created = readPet(exchange, 201);
  expectValues(exchange, created, sent);
  const found = await getPet(api, created.id);
  expectValues(found, readPet(found), sent);
}
