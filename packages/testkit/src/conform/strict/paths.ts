import { withEach } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectOutcome, expectOutcomes } from '../errors.ts';
import { expectHeader, expectStatus, expectThat } from '../mismatch.ts';
import { newPet, post, renderPet } from '../pets.ts';
import { sampleWith } from '../samples.ts';

const outside = (path: string) => ({ path, isOutsideBase: true });

const openPaths: [path: string, contentType: string, content: string][] = [
  ['/docs', 'text/html; charset=utf-8', '/v1/pets'],
  ['/openapi.json', 'application/json', '"openapi": "3.1'],
  ['/openapi.yaml', 'application/yaml', 'openapi: 3.1'],
  ['/openapi-3.0.json', 'application/json', '"openapi": "3.0'],
  ['/petstore.arazzo.yaml', 'application/yaml', 'arazzo: 1.0'],
  ['/livez', 'application/json', '{"status":"ok"}'],
  ['/readyz', 'application/json', '{"status":"ok"}'],
];

const unknownPaths = [
  '/v1',
  '/v1/',
  '/favicon.ico',
  '/robots.txt',
  '/metrics',
  '/health',
  '/healthz',
  '/.env',
  '/livez/',
  '/livez/x',
  '/LIVEZ',
  '/docs/index.html',
  '/index.html',
  '/openapi.yml',
  '/openapi',
];

/** Paths that resemble an open one, or disguise the path of the API. */
const disguises = [
  '/docs/../v1/pets',
  '/%2e%2e/v1/pets',
  '/livez%2f..%2fv1/pets',
  '/docs;/v1',
  '/livez%00',
  '/v1%2fpets',
];

/** Which paths exist, and which need a key. */
export const pathChecks = checksOf('strict', 'paths', [
  [
    'open',
    'The docs, the documents of the API and the health of the service can be read without a key.',
    async (api) => {
      for (const [path, contentType, content] of openPaths) {
        const requests = withEach(outside(path), [null, 'Bearer conform-wrong-key']);
        for (const exchange of await expectOutcomes(api, requests, '200')) {
          expectHeader(exchange, 'Content-Type', contentType);
          expectThat(exchange.text.includes(content), exchange, `a body with ${content}`);
        }
      }
    },
  ],
  [
    'root',
    'The root is the console, without a key. With only the stable operations, it leads to the docs.',
    async (api) => {
      const exchange = await api.send({ ...outside('/'), authorization: null });
      if (exchange.status === 307) return expectHeader(exchange, 'Location', 'docs');
      expectStatus(exchange, 200);
      expectHeader(exchange, 'Content-Type', 'text/html; charset=utf-8');
      expectThat(exchange.text.includes('<title>'), exchange, 'a body with <title>');
    },
  ],
  [
    'closed',
    'Every other path, known or not, is 401 without a key.',
    async (api) => {
      const paths = ['/v1/pets', '/v1/pets/1', ...unknownPaths, ...disguises];
      const requests = paths.map((path) => ({ path, isOutsideBase: true, authorization: null }));
      await expectOutcomes(api, requests, '401 unauthorized');
    },
  ],
  [
    'unknown',
    'With a key, an unknown path is 404.',
    async (api) => {
      const { id } = (await sampleWith(api)).created;
      const paths = [`/pets/${id}/status`, `/pets/${id}/sell`, '/event', '/category'];
      await expectOutcomes(
        api,
        [...paths.map((path) => ({ path })), ...unknownPaths.map(outside)],
        '404 not_found',
      );
    },
  ],
  [
    'trailing-slash',
    'A path with a trailing slash is another path: 404.',
    async (api) => {
      const { id } = (await sampleWith(api)).created;
      const create = { ...post(renderPet(newPet(api, 'to a slash'))), path: '/pets/' };
      const requests = ['/pets/', `/pets/${id}/`, '', '/'].map((path) => ({ path }));
      await expectOutcomes(api, [...requests, create, outside('/livez/')], '404 not_found');
    },
  ],
  [
    'version',
    'The version is part of every path: 404 without it or with another.',
    async (api) =>
      void (await expectOutcomes(api, ['/pets', '/v2/pets', '/V1/pets'].map(outside), '404 not_found')),
  ],
  [
    'orders',
    'GET /store/orders, behind the key, is marked as beta, or 404 where it is left out.',
    async (api) => {
      const path = '/store/orders';
      await expectOutcome(api, { path, authorization: null }, '401 unauthorized');
      const { status } = await api.send({ path });
      const exchange = await expectOutcome(api, { path }, status === 404 ? '404 not_found' : '200');
      expectHeader(exchange, 'Petstore-Stability', status === 404 ? undefined : 'beta');
    },
  ],
]);
