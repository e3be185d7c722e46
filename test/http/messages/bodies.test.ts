import { afterAll, describe, expect, it } from 'bun:test';
import { errorOf, outcomeOf, post } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

/** The messages about a body, and the corners of its grammar. The rest are checks of `petstore-conform`. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const create = (body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
  call('/v1/pets', { ...post(''), body });

describe('a body', () => {
  it('is invalid_json with a message that says where', async () => {
    const messageOf = async (body: string | Uint8Array<ArrayBuffer>) => (await errorOf(create(body))).message;
    expect(await messageOf('{\n  "name": "Rex",\n  "categoryId": 1,\n}')).toBe(
      'The body is not valid JSON. Line 4, column 1: property name expected.',
    );
    expect(await messageOf(Uint8Array.of(0x22, 0x0a, 0xff, 0x22))).toBe('The body is not valid UTF-8.');
    // A body may hold a secret, and a message may reach a log or a screen.
    expect(await messageOf('{"a":s3cret\u001b[31m}')).toBe(
      'The body is not valid JSON. Line 1, column 6: invalid symbol.',
    );
  });

  // RFC 8259, production by production.
  it.each([
    '\f{"name":"a","categoryId":1}',
    '\u00a0{"name":"a","categoryId":1}',
    '{"name":"a",,"categoryId":1}',
    '{"name":"a" "categoryId":1}',
    '{"name" "a","categoryId":1}',
    '{"name":"a",/* x */"categoryId":1}',
    '{"name":"a","categoryId":1}\0',
    ...['NaN', 'Infinity', '+1', '-', '0x1', '1.', '.5', '1e', '1_0', '1n'].map(
      (number) => `{"name":"a","categoryId":${number}}`,
    ),
    ...['\u0001', '\t', '\n', '\\x41', '\\u41', '\\'].map((text) => `{"name":"${text}","categoryId":1}`),
  ])('that the grammar does not allow is refused: %j', async (body) => {
    expect(await outcomeOf(create(body))).toBe('400 invalid_json');
  });

  // RFC 3629: never repaired.
  it.each(['80', 'c080', 'c0af', 'eda080', 'f4908080', 'f888808080', 'e282', 'ff'])(
    'that is not UTF-8 is refused: %s',
    async (bytes) => {
      const body = Buffer.from('{"name":"?","categoryId":1}').toString('hex').replace('3f', bytes);
      expect(await outcomeOf(create(Uint8Array.fromHex(body)))).toBe('400 invalid_json');
    },
  );

  it.each([
    ['white space of all four kinds', ' \t\r\n{ \t"name"\r:\n"a" , "categoryId" : 1 } \n', 'a'],
    ['an escaped key', '{"\\u006eame":"a","categoryId":1}', 'a'],
    ['a key twice, of which the last counts', '{"name":"a","name":"b","categoryId":1}', 'b'],
    ['a raw DEL', '{"name":"\u007f","categoryId":1}', '\u007f'],
    ['all short escapes', '{"name":"\\"\\\\\\/\\b\\f\\n\\r\\t","categoryId":1}', '"\\/\b\f\n\r\t'],
    ['5,000 other fields', `{"name":"a",${'"x":0,'.repeat(5000)}"categoryId":1}`, 'a'],
  ])('is stored as it is meant: %s', async (_title, body, name) => {
    const response = await create(body);
    expect(response.status).toBe(201);
    const stored = await call(response.headers.get('Location') ?? '');
    expect(await stored.json()).toMatchObject({ name, categoryId: 1 });
  });
});
