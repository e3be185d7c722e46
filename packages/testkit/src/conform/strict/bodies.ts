import { checksOf } from '../check.ts';
import { invalidCreates } from '../contract/create.ts';
import { expectOutcome, expectOutcomes } from '../errors.ts';
import { newPet, post, renderPet } from '../pets.ts';

const acceptedTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json; charset="utf-8"',
  'Application/JSON ; Charset=utf-8',
];
const refusedTypes = [
  'text/plain',
  'application/jsonp',
  'application/problem+json',
  'json',
  'application/json, text/plain',
  'application/json; charset=utf-16',
];
const notJson = [' ', '[1,]', 'NaN', '{"name":"a\nb","categoryId":1}', '{"categoryId":01}', '{}{}'];
const invalidUtf8: [what: string, bytes: number[]][] = [
  ['a lone continuation byte', [0x80]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['a truncated emoji', [0xf0, 0x9f, 0x90]],
  ['a code point past U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ['Latin-1', [0xe4]],
];

const largestBody = 16 * 1024;

/** The body of a create: its media type, size and encoding. */
export const bodyChecks = checksOf('strict', 'bodies', [
  [
    'media-types',
    'A body may be sent as application/json, with charset=utf-8 or without, in any case.',
    async (api) => {
      const body = renderPet(newPet(api, 'media types'));
      // They share one idempotency key, so that only one pet is created.
      const headers = { 'Idempotency-Key': `conform-${api.runId}-media-types` };
      for (const type of acceptedTypes) {
        await expectOutcome(api, post(body, { ...headers, 'Content-Type': type }), '201');
      }
    },
  ],
  [
    'other-media-types',
    'Any other media type or charset, or none, is 415 unsupported_media_type.',
    async (api) => {
      const body = renderPet(newPet(api, 'other media type'));
      const requests = refusedTypes.map((type) => post(body, { 'Content-Type': type }));
      const without = { method: 'POST', path: '/pets', body: new TextEncoder().encode(body) };
      await expectOutcomes(api, [...requests, without], '415 unsupported_media_type');
    },
  ],
  [
    'not-json',
    'A body that is not JSON is 400 invalid_json.',
    async (api) => {
      const requests = [...invalidCreates(api).invalidJson, ...notJson.map((body) => post(body))];
      await expectOutcomes(api, requests, '400 invalid_json');
    },
  ],
  [
    'not-utf8',
    'A body that is not UTF-8, or begins with a byte order mark, is 400 invalid_json.',
    async (api) => {
      const json = renderPet(newPet(api, 'not UTF-8 |'));
      const [before = '', after = ''] = json.split('|');
      const bodies = [
        ...invalidUtf8.map(([, bytes]) =>
          Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]),
        ),
        Buffer.from(`\ufeff${json}`),
        Buffer.from(json, 'utf16le'),
      ];
      const requests = bodies.map((body) => post(new Uint8Array(body)));
      await expectOutcomes(api, requests, '400 invalid_json');
    },
  ],
  [
    'largest',
    'A body of exactly 16 KiB is accepted.',
    async (api) =>
      void (await expectOutcome(api, post(renderPet(newPet(api, 'of 16 KiB')).padEnd(largestBody)), '201')),
  ],
  [
    'too-large',
    'A larger body is 413 payload_too_large; bytes count, not characters.',
    async (api) => {
      const tooLarge = renderPet(newPet(api, 'too large')).padEnd(largestBody + 1);
      const tooManyBytes = renderPet(newPet(api, '🐈'.repeat(largestBody / 4)));
      await expectOutcomes(api, [post(tooLarge), post(tooManyBytes)], '413 payload_too_large');
    },
  ],
]);
