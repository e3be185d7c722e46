import type { Api, Exchange } from '../api.ts';
import { checksOf } from '../check.ts';
import { invalidCreates } from '../contract/create.ts';
import { expectOutcome, expectOutcomes, readError } from '../errors.ts';
import { expectValues } from '../expectations.ts';
import { expectThat } from '../mismatch.ts';
import { getPet, newPet, post, readPet, renderPet, type SentPet } from '../pets.ts';
import { sampleWith } from '../samples.ts';

const spellings: [sent: string, stored: string][] = [
  ['3.0', '3'],
  ['1e2', '100'],
  ['-0', '0'],
  ['120E-1', '12'],
  ['9.223372036854775807e18', '9223372036854775807'],
];
const noInt64 = ['9223372036854775808', '0.5', '1e-1', '1e19', '1e400', '-1e99999', '"1"'];
const badText = ['\\u0000', 'a\\u0000b', '\\ud800', 'a\\udfffb', '\\udc00\\ud800', '\\ud83d\\ud83d'];

/** Every kind of text that a careless service would change. */
const hostileText = [
  '\u202eexe.gpj\u202c كلب',
  '\u0001\t\n\r\u001f\u007f\u0085',
  '"\\/\b\f\u2028\u2029</script>',
  '\ufeff\ufffe\uffff\u{10ffff}',
  "Robert'); DROP TABLE pets;--",
  '9007199254740993 \ufffd ',
].join(' ');

/** The fields of a create. */
export const fieldChecks = checksOf('strict', 'fields', [
  [
    'all-problems',
    'One message names every wrong field.',
    async (api) => {
      const wrong = await expectRefused(api, '{"name":7,"categoryId":"1","status":"adopted"}');
      expectInMessage(wrong, ['name must be', 'categoryId must be', 'status must be']);
      const missing = await expectRefused(api, '{"status":null}');
      expectInMessage(missing, ['name is required', 'categoryId is required', 'status must be']);
    },
  ],
  [
    'only-problems',
    'The message leaves out the fields that are right.',
    async (api) => {
      for (const [body, right] of [
        ['{"name":"conform","categoryId":1,"status":"x"}', /name|categoryId/],
        ['{"name":"conform"}', /\bname\b|status/],
        ['{"categoryId":1}', /categoryId|status/],
      ] as const) {
        const exchange = await expectRefused(api, body);
        const message = readError(exchange).message;
        expectThat(!right.test(message), exchange, `a message without ${right.source}`);
      }
    },
  ],
  [
    'invalid',
    'A body that is not an object, a name that is not a string, a categoryId that is not an int64, and an unknown status are 400 invalid_pet.',
    async (api) => {
      const requests = noInt64.map((categoryId) => post(renderPet({ name: 'conform', categoryId })));
      await expectOutcomes(api, [...invalidCreates(api).invalidPets, ...requests], '400 invalid_pet');
    },
  ],
  [
    'unknown-fields',
    'Unknown fields are ignored, whatever their names and values.',
    async (api) => {
      const sent = newPet(api, 'with unknown fields');
      const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
      const unknown = inherited.map((field) => `"${field}":{"status":"sold"}`);
      const extra = `{"unheardOf":"red","tags":[{"a":null}],"Status":7,${unknown.join(',')},`;
      await expectCreated(api, renderPet(sent).replace('{', extra), sent);
      await expectRefused(api, '{"__proto__":{"name":"conform","categoryId":1}}');
    },
  ],
  [
    'id-ignored',
    'An id in the body is ignored, whatever it is.',
    async (api) => {
      const { created } = await sampleWith(api);
      const sent = newPet(api, 'with an id');
      for (const id of [`${created.id}`, '"x"', 'null', '-5', '9223372036854775807', '1e400', '{}']) {
        const exchange = await expectCreated(api, renderPet(sent).replace('{', `{"id":${id},`), sent);
        expectThat(readPet(exchange, 201).id > created.id, exchange, `a new id, greater than ${created.id}`);
      }
    },
  ],
  [
    'integral-numbers',
    'A JSON number with an integral value is an integer, however it is spelled.',
    async (api) => {
      for (const [spelled, categoryId] of spellings) {
        const sent = newPet(api, `category ${spelled}`);
        await expectCreated(api, renderPet({ ...sent, categoryId: spelled }), { ...sent, categoryId });
      }
    },
  ],
  [
    'any-name',
    'A name is any well-formed Unicode text, stored and returned untouched, the empty one included.',
    async (api) => {
      const names = [newPet(api, hostileText).name, '', newPet(api, 'ä'.repeat(200)).name];
      for (const name of names) {
        const sent = { name, categoryId: '1' };
        const exchange = await expectCreated(api, renderPet(sent), sent);
        const pet = await getPet(api, readPet(exchange, 201).id);
        expectValues(pet, readPet(pet), sent);
      }
    },
  ],
  [
    'bad-text',
    'U+0000 and lone surrogates in a name are 400 invalid_pet.',
    async (api) => {
      for (const escapes of badText) {
        expectInMessage(await expectRefused(api, `{"name":"conform ${escapes}","categoryId":1}`), [
          'name must be',
        ]);
      }
    },
  ],
]);

function expectRefused(api: Api, body: string): Promise<Exchange> {
  return expectOutcome(api, post(body), '400 invalid_pet');
}

function expectInMessage(exchange: Exchange, parts: string[]): void {
  const message = readError(exchange).message;
  for (const part of parts) expectThat(message.includes(part), exchange, `a message with "${part}"`);
}

async function expectCreated(api: Api, body: string, sent: SentPet): Promise<Exchange> {
  const exchange = await expectOutcome(api, post(body), '201');
  expectValues(exchange, readPet(exchange, 201), sent);
  return exchange;
}
