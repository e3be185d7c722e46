import { withEach, type Api, type Exchange } from '../api.ts';
import { checksOf } from '../check.ts';
import { badCredentials, operations } from '../contract/authentication.ts';
import { expectOutcome, expectOutcomes } from '../errors.ts';
import { expectHeader, expectThat } from '../mismatch.ts';
import { newPet, post, renderPet } from '../pets.ts';

const challenge = 'Bearer realm="petstore"';

/** The 401 and its challenge (RFC 6750). */
export const credentialChecks = checksOf('strict', 'credentials', [
  [
    'no-key',
    'Without a bearer key, every operation is 401 unauthorized and asks for one.',
    (api) => expectChallenge(api, 'unauthorized', challenge),
  ],
  [
    'wrong-key',
    'With a wrong key, every operation is 401 invalid_api_key, and the challenge says invalid_token.',
    (api) => expectChallenge(api, 'invalid_api_key', `${challenge}, error="invalid_token"`),
  ],
  [
    'scheme-case',
    'The case of the scheme does not matter.',
    async (api) => {
      const requests = ['Bearer', 'bearer', 'BEARER', 'bEaReR'].map((scheme) => ({
        path: '/pets',
        authorization: `${scheme} ${api.apiKey}`,
      }));
      await expectOutcomes(api, requests, '200');
    },
  ],
  [
    'two-keys',
    'Two credentials count as none.',
    async (api) =>
      void (await expectRefused(api, [`Bearer ${api.apiKey}, Bearer ${api.apiKey}`], 'unauthorized')),
  ],
  [
    'key-in-query',
    'A key in the query is not a credential.',
    async (api) => {
      const names = ['access_token', 'api_key', 'key', 'token', 'Authorization'];
      const requests = names.map((name) => ({
        path: `/pets?${name}=${encodeURIComponent(api.apiKey)}`,
        authorization: null,
      }));
      await expectOutcomes(api, requests, '401 unauthorized');
    },
  ],
  [
    'key-elsewhere',
    'A key in another header, a cookie or the body is not a credential.',
    async (api) => {
      const { apiKey } = api;
      const headers = {
        'X-API-Key': apiKey,
        Cookie: `key=${apiKey}`,
        'Proxy-Authorization': `Bearer ${apiKey}`,
      };
      const body = renderPet(newPet(api, 'with a misplaced key')).replace(
        '{',
        `{"access_token":${JSON.stringify(apiKey)},`,
      );
      await expectOutcome(api, { ...post(body, headers), authorization: null }, '401 unauthorized');
    },
  ],
  [
    'never-repeated',
    'A response never repeats the key that was sent.',
    async (api) => {
      const wrong = `pets_${api.runId.repeat(5).slice(0, 36)}`;
      const path = `/pets/${wrong}?key=${wrong}`;
      const exchange = await expectOutcome(
        api,
        { path, authorization: `Bearer ${wrong}` },
        '401 invalid_api_key',
      );
      const response = JSON.stringify([...exchange.headers]) + exchange.text;
      expectThat(!response.includes(wrong.slice(5, 15)), exchange, 'a response without the key');
    },
  ],
]);

async function expectChallenge(api: Api, code: string, expected: string): Promise<void> {
  const bad = badCredentials.filter(([, , own]) => own === code);
  const credentials = bad.flatMap(([, , , credentialsOf]) => credentialsOf(api.apiKey));
  for (const exchange of await expectRefused(api, credentials, code))
    expectHeader(exchange, 'WWW-Authenticate', expected);
}

/** Sends each credential to every operation. */
async function expectRefused(api: Api, credentials: (string | null)[], code: string): Promise<Exchange[]> {
  const requests = await Promise.all(operations.map(({ request }) => request(api)));
  const all = requests.flatMap((request) => withEach(request, credentials));
  return expectOutcomes(api, all, `401 ${code}`);
}
