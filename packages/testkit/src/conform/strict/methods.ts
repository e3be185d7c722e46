import type { Api, Exchange } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectOutcome, expectOutcomes } from '../errors.ts';
import { expectHeader, expectThat } from '../mismatch.ts';
import { sampleWith } from '../samples.ts';

const readOnly = ['GET, HEAD, OPTIONS'];
/** Two values, because a service may have only stable operations. */
const ofPet = [...readOnly, 'GET, HEAD, PATCH, DELETE, OPTIONS'];
const allowOfPaths: [path: string, allow: string[]][] = [
  ['/v1/pets', ['GET, HEAD, POST, OPTIONS']],
  ['/v1/pets/1', ofPet],
  ['/v1/pets/abc', ofPet],
  ['/', readOnly],
  ['/livez', readOnly],
  ['/openapi.json', readOnly],
];

/** Headers that belong to the connection or differ each time. */
const variableHeaders = new Set([
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'ratelimit',
]);

/** HEAD, OPTIONS and unsupported methods. */
export const methodChecks = checksOf('strict', 'methods', [
  [
    'head',
    'HEAD has the status and the headers of GET, without a body.',
    async (api) => {
      const { id } = (await sampleWith(api)).created;
      const ofApi = ['/pets?limit=1', `/pets/${id}`, '/pets/0', '/pets?limit=0', '/x'].map(
        (path) => `/v1${path}`,
      );
      const compare = async (path: string): Promise<void> => {
        // A compressed body would have another length.
        const headers = { 'X-Request-Id': 'same', 'Accept-Encoding': 'identity' };
        const get = await api.send({ path, isOutsideBase: true, headers });
        const head = await api.send({ method: 'HEAD', path, isOutsideBase: true, headers });
        expectThat(head.status === get.status, head, `status ${get.status}, as of GET`);
        expectThat(head.text === '', head, 'no body');
        const [expected, seen] = [headersOf(get), headersOf(head)];
        expectThat(seen === expected, head, `the headers of GET: ${expected}`, seen);
        const length = head.headers.get('Content-Length') ?? get.headers.get('Content-Length');
        const bytes = Buffer.byteLength(get.text);
        expectThat(
          length === null || Number(length) === bytes,
          head,
          `Content-Length: ${bytes}`,
          `${length}`,
        );
      };
      const others = ['/livez', '/readyz', '/', '/docs', '/openapi.yaml', '/openapi.json'];
      await Promise.all([...ofApi, ...others].map(compare));
    },
  ],
  [
    'options',
    'OPTIONS on a known path is 204 with Allow, even without a key.',
    async (api) => {
      for (const [path, values] of allowOfPaths) await allowOf(api, path, values);
    },
  ],
  [
    'other-methods',
    'A method that Allow does not list is 405 with the same Allow.',
    async (api) => {
      const { id } = (await sampleWith(api)).created;
      for (const [path, values] of [...allowOfPaths, [`/v1/pets/${id}`, ofPet] as const]) {
        const allow = await allowOf(api, path, values);
        const others = ['DELETE', 'PUT', 'PATCH', 'POST'].filter((method) => !allow.includes(method));
        const requests = others.map((method) => ({ method, path, isOutsideBase: true }));
        for (const exchange of await expectOutcomes(api, requests, '405 method_not_allowed')) {
          expectHeader(exchange, 'Allow', allow);
        }
      }
      await expectOutcome(api, { path: `/pets/${id}` }, '200');
    },
  ],
  [
    'cross-origin',
    'No response lets a page of another origin send cookies.',
    async (api) => {
      const origin = { Origin: 'https://conform.invalid' };
      const preflight = { ...origin, 'Access-Control-Request-Method': 'POST' };
      for (const [method, headers] of [
        ['OPTIONS', preflight],
        ['GET', origin],
      ] as const) {
        const exchange = await api.send({ method, path: '/pets', headers });
        const hasCredentials = exchange.headers.has('Access-Control-Allow-Credentials');
        expectThat(!hasCredentials, exchange, 'no Access-Control-Allow-Credentials');
      }
    },
  ],
]);

/** Returns what OPTIONS lists for a path, which must be one of these values. */
async function allowOf(api: Api, path: string, values: string[]): Promise<string> {
  const request = { method: 'OPTIONS', path, isOutsideBase: true, authorization: null };
  const exchange = await expectOutcome(api, request, '204');
  expectThat(exchange.text === '', exchange, 'no body');
  const allow = exchange.headers.get('Allow') ?? '';
  expectThat(values.includes(allow), exchange, `Allow: ${values.join(' or ')}`, `Allow: ${allow}`);
  return allow;
}

function headersOf({ headers }: Exchange): string {
  const entries = [...headers].filter(([name]) => !variableHeaders.has(name));
  return entries.map(([name, value]) => `${name}: ${value}`).join(', ');
}
