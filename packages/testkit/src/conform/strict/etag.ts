import type { Api, Exchange } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectOutcome } from '../errors.ts';
import { expectHeader, expectHeaderMatch, expectStatus, expectThat } from '../mismatch.ts';
import { createPet, newPet } from '../pets.ts';
import { limits } from '../rules.ts';
import { sampleWith, samples } from '../samples.ts';

/** ETag, If-None-Match and Cache-Control. */
export const etagChecks = checksOf('strict', 'etag', [
  [
    'on-200',
    'Every 200 of a GET is application/json, with a strong ETag and Cache-Control: private, no-cache.',
    async (api) => {
      for (const path of await pathsOf(api)) {
        const exchange = await api.send({ path });
        expectStatus(exchange, 200);
        expectHeader(exchange, 'Content-Type', 'application/json');
        expectHeaderMatch(exchange, 'ETag', /^"[\w.-]+"$/);
        expectHeader(exchange, 'Cache-Control', 'private, no-cache');
      }
    },
  ],
  [
    'not-modified',
    'If-None-Match with the ETag gives 304 without a body, with the same ETag, Cache-Control and Link, on HEAD too.',
    async (api) => {
      for (const path of await pathsOf(api)) {
        const full = await api.send({ path });
        for (const method of ['GET', 'HEAD']) {
          const exchange = await sendWith(api, path, etagOf(full), method);
          expectStatus(exchange, 304);
          expectThat(exchange.text === '', exchange, 'no body');
          for (const name of ['ETag', 'Cache-Control', 'Link']) {
            expectHeader(exchange, name, full.headers.get(name) ?? undefined);
          }
        }
      }
    },
  ],
  [
    'forms',
    'The ETag in If-None-Match may be weak, one of several, or *.',
    async (api) => {
      await samples(api);
      const etag = etagOf(await api.send({ path: '/pets' }));
      for (const header of [`W/${etag}`, `"a", ${etag}`, `"a",${etag},"b"`, `W/"a", W/${etag}`, '*', ' * ']) {
        expectStatus(await sendWith(api, '/pets', header), 304);
      }
    },
  ],
  [
    'other',
    'Any other If-None-Match gives 200.',
    async (api) => {
      await samples(api);
      const etag = etagOf(await api.send({ path: '/pets' }));
      const ofOther = etagOf(await api.send({ path: '/pets?limit=1' }));
      const others = ['', '"a"', etag.slice(1, -1), `${etag.slice(0, -2)}"`, '"*"', `w/${etag}x`, ofOther];
      for (const header of others) expectStatus(await sendWith(api, '/pets', header), 200);
    },
  ],
  [
    'changes-with-response',
    'An ETag changes exactly when the response does.',
    async (api) => {
      const { id } = (await sampleWith(api)).created;
      const [list, one] = [
        await api.send({ path: '/pets?limit=100' }),
        await api.send({ path: `/pets/${id}` }),
      ];
      expectHeader(await api.send({ path: '/pets?limit=100' }), 'ETag', etagOf(list));
      await createPet(api, newPet(api, 'for a new ETag'));
      expectHeader(await api.send({ path: `/pets/${id}` }), 'ETag', etagOf(one));
      const after = await api.send({ path: '/pets?limit=100' });
      const isSame = after.text === list.text && after.headers.get('Link') === list.headers.get('Link');
      if (isSame) return;
      expectThat(etagOf(after) !== etagOf(list), after, 'another ETag than before', `ETag: ${etagOf(after)}`);
    },
  ],
  [
    'if-match',
    'An If-Match with another ETag is 412 precondition_failed.',
    async (api) => {
      const request = { path: '/pets', headers: { 'If-Match': '"another"' } };
      await expectOutcome(api, request, '412 precondition_failed');
    },
  ],
  [
    'not-on-errors',
    'An error has Cache-Control: no-store and no ETag, whatever If-None-Match says.',
    async (api) => {
      for (const path of ['/pets/0', `/pets?limit=${limits.largest + 1}`]) {
        const exchange = await sendWith(api, path, '*');
        expectThat(exchange.status >= 400, exchange, 'an error');
        expectHeader(exchange, 'ETag', undefined);
        expectHeader(exchange, 'Cache-Control', 'no-store');
      }
    },
  ],
]);

async function pathsOf(api: Api): Promise<string[]> {
  const { id } = (await sampleWith(api)).created;
  return ['/pets', '/pets?limit=1', '/pets?status=sold', `/pets/${id}`];
}

function etagOf({ headers }: Exchange): string {
  return headers.get('ETag') ?? '';
}

function sendWith(api: Api, path: string, ifNoneMatch: string, method = 'GET') {
  return api.send({ method, path, headers: { 'If-None-Match': ifNoneMatch } });
}
