import type { Random } from '../../test/support/random.ts';

/** Bodies of a create, and what must become of them. */
export interface JsonCase {
  name: string;
  body: string | Uint8Array<ArrayBuffer>;
  /** The pet that is stored, or the code of the refusal; `either` where a parser may set a limit (RFC 8259, section 9). */
  expected:
    | { name: string; categoryId: string }
    | 'invalid_json'
    | 'invalid_pet'
    | 'payload_too_large'
    | 'either';
}

const pet = (name: string, categoryId = '1') => ({ name, categoryId });
const bytes = (...parts: (string | number[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));

/** RFC 8259, production by production: what the grammar allows is taken, what it does not is refused. */
const grammar: JsonCase[] = [
  ['white space of all four kinds', ' \t\r\n{ \t"name"\r:\n"a" , "categoryId" : 1 } \n', pet('a')],
  ['a form feed', '\f{"name":"a","categoryId":1}', 'invalid_json'],
  ['a no-break space', '\u00a0{"name":"a","categoryId":1}', 'invalid_json'],
  ['a byte order mark', '\ufeff{"name":"a","categoryId":1}', 'invalid_json'],
  ['a comma too many', '{"name":"a","categoryId":1,}', 'invalid_json'],
  ['two commas', '{"name":"a",,"categoryId":1}', 'invalid_json'],
  ['no comma', '{"name":"a" "categoryId":1}', 'invalid_json'],
  ['no colon', '{"name" "a","categoryId":1}', 'invalid_json'],
  ['a key without quotes', '{name:"a","categoryId":1}', 'invalid_json'],
  ['single quotes', "{'name':'a','categoryId':1}", 'invalid_json'],
  ['a comment', '{"name":"a",/* x */"categoryId":1}', 'invalid_json'],
  ['something behind the end', '{"name":"a","categoryId":1}{}', 'invalid_json'],
  ['a NUL behind the end', '{"name":"a","categoryId":1}\0', 'invalid_json'],
  ['no end', '{"name":"a","categoryId":1', 'invalid_json'],
  ['nothing', '', 'invalid_json'],
  ['white space alone', ' \n', 'invalid_json'],
  ['an array', '[]', 'invalid_pet'],
  ['a string', '"a"', 'invalid_pet'],
  ['a number', '1', 'invalid_pet'],
  ['null', 'null', 'invalid_pet'],
  ['NaN', '{"name":"a","categoryId":NaN}', 'invalid_json'],
  ['Infinity', '{"name":"a","categoryId":Infinity}', 'invalid_json'],
  ['a plus sign', '{"name":"a","categoryId":+1}', 'invalid_json'],
  ['a leading zero', '{"name":"a","categoryId":01}', 'invalid_json'],
  ['hexadecimal', '{"name":"a","categoryId":0x1}', 'invalid_json'],
  ['a bare point', '{"name":"a","categoryId":1.}', 'invalid_json'],
  ['a point first', '{"name":"a","categoryId":.5}', 'invalid_json'],
  ['an empty exponent', '{"name":"a","categoryId":1e}', 'invalid_json'],
  ['minus alone', '{"name":"a","categoryId":-}', 'invalid_json'],
  ['minus zero', '{"name":"a","categoryId":-0}', pet('a', '0')],
  ['a whole number with a fraction', '{"name":"a","categoryId":3.000}', pet('a', '3')],
  ['a whole number with an exponent', '{"name":"a","categoryId":12.5E+1}', pet('a', '125')],
  ['a fraction', '{"name":"a","categoryId":1.5}', 'invalid_pet'],
  ['the largest int64', '{"name":"a","categoryId":9223372036854775807}', pet('a', '9223372036854775807')],
  ['the smallest int64', '{"name":"a","categoryId":-9223372036854775808}', pet('a', '-9223372036854775808')],
  ['one past int64', '{"name":"a","categoryId":9223372036854775808}', 'invalid_pet'],
  ['2^53 + 1', '{"name":"a","categoryId":9007199254740993}', pet('a', '9007199254740993')],
  ['a number of 60,000 digits', `{"name":"a","categoryId":${'9'.repeat(60_000)}}`, 'invalid_pet'],
  ['a number with 60,000 zeros in it', `{"name":"a","categoryId":1${'0'.repeat(60_000)}1}`, 'invalid_pet'],
  ['an exponent of a billion', '{"name":"a","categoryId":1e1000000000}', 'invalid_pet'],
  ['a huge exponent of zero', '{"name":"a","categoryId":0e999999999}', pet('a', '0')],
  ['a tiny exponent', '{"name":"a","categoryId":1e-1000000000}', 'invalid_pet'],
  ['digits as a string', '{"name":"a","categoryId":"1"}', 'invalid_pet'],
  ['null for a name', '{"name":null,"categoryId":1}', 'invalid_pet'],
  ['an escaped key', '{"\\u006eame":"a","categoryId":1}', pet('a')],
  ['a key twice: the last one counts', '{"name":"a","name":"b","categoryId":1}', pet('b')],
  ['__proto__ with all fields', '{"__proto__":{"name":"a","categoryId":1}}', 'invalid_pet'],
  ['__proto__ beside the fields', '{"__proto__":{"status":"bad"},"name":"a","categoryId":1}', pet('a')],
  [
    'constructor and prototype',
    '{"constructor":{"prototype":{"status":"sold"}},"name":"a","categoryId":1}',
    pet('a'),
  ],
  [
    'toString and valueOf',
    '{"toString":1,"valueOf":2,"hasOwnProperty":3,"name":"a","categoryId":1}',
    pet('a'),
  ],
  ['a raw control character in a string', '{"name":"a\u0001","categoryId":1}', 'invalid_json'],
  ['a raw line end in a string', '{"name":"a\n","categoryId":1}', 'invalid_json'],
  ['a raw DEL in a string', '{"name":"a\u007f","categoryId":1}', pet('a\u007f')],
  ['all short escapes', '{"name":"\\"\\\\\\/\\b\\f\\n\\r\\t","categoryId":1}', pet('"\\/\b\f\n\r\t')],
  ['an unknown escape', '{"name":"\\x41","categoryId":1}', 'invalid_json'],
  ['a short unicode escape', '{"name":"\\u41","categoryId":1}', 'invalid_json'],
  ['an escaped NUL', '{"name":"a\\u0000b","categoryId":1}', 'invalid_pet'],
  ['a lone high surrogate', '{"name":"\\ud800","categoryId":1}', 'invalid_pet'],
  ['a lone low surrogate', '{"name":"\\udc00","categoryId":1}', 'invalid_pet'],
  ['surrogates in the wrong order', '{"name":"\\udc00\\ud800","categoryId":1}', 'invalid_pet'],
  ['a pair of surrogates', '{"name":"\\ud83d\\ude00","categoryId":1}', pet('😀')],
  ['nested 100 deep', `{"name":"a","categoryId":1,"x":${'['.repeat(100)}${']'.repeat(100)}}`, pet('a')],
  [
    'nested 10,000 deep',
    `{"name":"a","categoryId":1,"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    'either',
  ],
  [
    'nested 30,000 deep',
    `{"name":"a","categoryId":1,"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
    'either',
  ],
  [
    'objects nested 9,000 deep',
    `{"name":"a","categoryId":1,"x":${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}}`,
    'either',
  ],
  ['nested and never closed', '['.repeat(60_000), 'invalid_json'],
  [
    '5,000 other fields',
    `{"name":"a","categoryId":1${Array.from({ length: 5000 }, (_, i) => `,"${i}":0`).join('')}}`,
    pet('a'),
  ],
  [
    'a body of 64 KiB and a byte',
    `{"name":"${'a'.repeat(64 * 1024 + 1 - 26)}","categoryId":1}`,
    'payload_too_large',
  ],
].map(([name, body, expected]) => ({ name, body, expected }) as JsonCase);

/** UTF-8 that is none (RFC 3629): it must be refused, never fixed. */
const encodings: JsonCase[] = [
  ['a lone continuation byte', [0x80]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['an overlong NUL', [0xc0, 0x80]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['past the last plane', [0xf4, 0x90, 0x80, 0x80]],
  ['a sequence of five bytes', [0xf8, 0x88, 0x80, 0x80, 0x80]],
  ['a sequence cut short', [0xe2, 0x82]],
  ['0xff', [0xff]],
].map(([name, wrong]) => ({
  name: `UTF-8 with ${name as string}`,
  body: bytes('{"name":"', wrong as number[], '","categoryId":1}'),
  expected: 'invalid_json',
}));

const otherEncodings: JsonCase[] = [
  {
    name: 'UTF-16',
    body: new Uint8Array(Buffer.from('{"name":"a","categoryId":1}', 'utf16le')),
    expected: 'invalid_json',
  },
  {
    name: 'Latin-1',
    body: new Uint8Array(Buffer.from('{"name":"é","categoryId":1}', 'latin1')),
    expected: 'invalid_json',
  },
];

export const jsonCases: readonly JsonCase[] = [...grammar, ...encodings, ...otherEncodings];

/** Names out of a plane of Unicode, every kind of code point that JSON can carry. */
export function namesOfPlane(plane: number, count: number, random: Random): string[] {
  return Array.from({ length: count }, () => {
    const points = Array.from(
      { length: 1 + Math.floor(random.next() * 20) },
      () => plane * 0x10000 + Math.floor(random.next() * 0x10000),
    );
    return String.fromCodePoint(
      ...points.map((point) => (point === 0 || (point >= 0xd800 && point <= 0xdfff) ? 0x41 : point)),
    );
  });
}
