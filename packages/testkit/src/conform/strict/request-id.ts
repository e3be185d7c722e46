import { sendAll, type Api, type ApiRequest } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectHeader, expectHeaderMatch, expectThat } from '../mismatch.ts';

const header = 'X-Request-Id';
const generatedId = /^[\w-]{16,}$/;
const validIds = ['1', 'checkout-7f3a', 'A'.repeat(128), 'a.b:c/d+e=f@g_h'];
const invalidIds = ['', ' ', 'a b', 'A'.repeat(129), '<script>', '"x"', 'a,b', 'ä', 'a;b', '{}', '\\'];

export const requestIdChecks = checksOf('strict', 'request-id', [
  [
    'everywhere',
    'Every response has an X-Request-Id, new each time.',
    async (api) => {
      const paths = ['/pets', '/pets/1', '/pets/0', '/x'];
      const requests: ApiRequest[] = [...paths, ...paths].map((path) => ({ path }));
      const anonymous = ['OPTIONS', 'DELETE', 'HEAD'].map((method) => ({
        method,
        path: '/pets',
        authorization: null,
      }));
      const seen = new Set<string>();
      for (const exchange of await sendAll(api, [...requests, ...anonymous])) {
        const id = expectHeaderMatch(exchange, header, generatedId);
        expectThat(!seen.has(id), exchange, `a new ${header}`, `${header}: ${id} again`);
        seen.add(id);
      }
    },
  ],
  [
    'own',
    'A valid X-Request-Id of the caller comes back.',
    async (api) => {
      const ids = [...validIds, crypto.randomUUID()];
      await Promise.all(ids.map(async (id) => expectHeader(await sendWith(api, id), header, id)));
    },
  ],
  [
    'invalid',
    'An invalid X-Request-Id of the caller is replaced by a new one.',
    async (api) => {
      const expectNew = async (id: string): Promise<void> => {
        const exchange = await sendWith(api, id);
        const seen = expectHeaderMatch(exchange, header, generatedId);
        expectThat(seen !== id, exchange, `a new ${header}`, `${header}: ${seen}`);
      };
      await Promise.all(invalidIds.map(expectNew));
    },
  ],
]);

function sendWith(api: Api, id: string) {
  return api.send({ path: '/pets', headers: { [header]: id } });
}
