import { sendAll, withEach, type Api, type ApiRequest } from '../api.ts';
import { checksOf, type Entry } from '../check.ts';
import { expectOutcomes } from '../errors.ts';
import { expectHeader, expectHeaderMatch, expectStatus } from '../mismatch.ts';
import { newPet, post, renderPet } from '../pets.ts';
import { sampleWith } from '../samples.ts';

const tooLarge = ' '.repeat(16 * 1024 + 1);
const text = { 'Content-Type': 'text/plain' };
const anonymous = (request: ApiRequest): ApiRequest => ({ ...request, authorization: null });

/** Requests with two mistakes. The service must report the first. */
const steps: [name: string, outcome: string, requests: ApiRequest[]][] = [
  [
    'key-first',
    '401 unauthorized',
    [
      { path: '/unknown' },
      { path: '/pets', method: 'DELETE' },
      { path: '/pets?limit=0' },
      { path: '/pets/abc' },
      post('x', text),
      post(tooLarge),
      post('{'),
      post('{}'),
    ].map(anonymous),
  ],
  [
    'path-before-method-and-body',
    '404 not_found',
    [
      { path: '/unknown', method: 'DELETE' },
      { ...post('x', text), path: '/unknown' },
      { ...post(tooLarge), path: '/unknown' },
    ],
  ],
  [
    'method-before-body-and-pet',
    '405 method_not_allowed',
    [
      { ...post('x', text), method: 'PUT' },
      { ...post(tooLarge), path: '/pets/1' },
      { path: '/pets/abc', method: 'PUT' },
    ],
  ],
  [
    'media-type-before-content',
    '415 unsupported_media_type',
    [post(tooLarge, text), post('{', text), post('{}', text)],
  ],
  ['size-before-content', '413 payload_too_large', [post(`{${tooLarge}`), post(`{${tooLarge}}`)]],
  ['json-before-fields', '400 invalid_json', [post('{"name":7,}')]],
];

/** The order of checks: key, path, method, media type, size, JSON, fields. */
export const precedenceChecks = checksOf('strict', 'order', [
  ...steps.map(([name, outcome, requests]): Entry => [
    name,
    `A request with this and a later mistake is ${outcome}.`,
    async (api) => {
      await expectOutcomes(api, requests, outcome);
    },
  ]),
  [
    'nothing-without-key',
    'Without a valid key, a caller learns nothing but 401: no Allow, no ETag, whatever the path and method.',
    async (api) => {
      const requests = (await telling(api)).flatMap((request) =>
        withEach(request, [null, 'Bearer conform-wrong-key']),
      );
      for (const exchange of await sendAll(api, requests)) {
        expectStatus(exchange, 401);
        expectHeaderMatch(exchange, 'WWW-Authenticate', /^Bearer/);
        for (const name of ['Allow', 'ETag']) expectHeader(exchange, name, undefined);
      }
    },
  ],
]);

async function telling(api: Api): Promise<ApiRequest[]> {
  const { id } = (await sampleWith(api)).created;
  return [
    ...['', '/pets', `/pets/${id}`, '/pets/0', '/store/orders', '/unknown'].map((path) => ({ path })),
    { path: '/pets', method: 'HEAD' },
    { path: '/pets', method: 'DELETE' },
    { path: '/unknown', method: 'OPTIONS' },
    post(renderPet(newPet(api, 'without a key'))),
    post('{'),
  ];
}
