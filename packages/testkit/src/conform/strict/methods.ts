import type { Api, Exchange } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectOutcome, expectOutcomes } from '../errors.ts';
import { expectHeader, expectThat } from '../mismatch.ts';
import { sampleWith } from '../samples.ts';

/** Two values, because a service may have only stable operations. */
const ofPet = ['GET, HEAD, OPTIONS', 'GET, HEAD, PATCH, DELETE, OPTIONS'];
const allowOfPaths: [path: string, allow: string[]][] = [
  ['/pets', ['GET, HEAD, POST, OPTIONS']],
  ['/pets/1', ofPet],
  ['/pets/abc', ofPet],
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
      const compare = async (path: string): Promise<void> => {
        // A compressed body would have another length.
        const headers = { 'X-Request-Id': 'same', 'Accept-Encoding': 'identity' };
        const get = await api.send({ path, headers });
        const head = await api.send({ method: 'HEAD', path, headers });
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
      const paths = ['/pets?limit=1', `/pets/${id}`, '/pets/0', '/pets?limit=0', '/x'];
      await Promise.all(paths.map(compare));
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
      for (const [path, values] of [...allowOfPaths, [`/pets/${id}`, ofPet] as const]) {
        const allow = await allowOf(api, path, values);
        const others = ['DELETE', 'PUT', 'PATCH', 'POST'].filter((method) => !allow.includes(method));
        const requests = others.map((method) => ({ method, path }));
        for (const exchange of await expectOutcomes(api, requests, '405 method_not_allowed')) {
          expectHeader(exchange, 'Allow', allow);
        }
      }
      await expectOutcome(api, { path: `/pets/${id}` }, '200');
    },
  ],
]);

/** Returns what OPTIONS lists for a path, which must be one of these values. */
async function allowOf(api: Api, path: string, values: string[]): Promise<string> {
  const exchange = await expectOutcome(api, { method: 'OPTIONS', path, authorization: null }, '204');
  expectThat(exchange.text === '', exchange, 'no body');
  const allow = exchange.headers.get('Allow') ?? '';
  expectThat(values.includes(allow), exchange, `Allow: ${values.join(' or ')}`, `Allow: ${allow}`);
  return allow;
}

function headersOf({ headers }: Exchange): string {
  const entries = [...headers].filter(([name]) => !variableHeaders.has(name));
  return entries.map(([name, value]) => `${name}: ${value}`).join(', ');
}
