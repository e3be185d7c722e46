import { clientSamples, clientSetup } from '../code/client-samples.ts';
import { renderFetch } from '../code/fetch.ts';
import {
  exampleAddress,
  renderCurl,
  type ApiRequest,
} from '../../../packages/console/src/docs/code/request.ts';
import type { CodeSample, Shown } from '../code/sample.ts';

/** The samples of the guide. A test runs each in a store that holds pets and compares its output. */

const json: [string, string] = ['Content-Type', 'application/json'];
const petUrl = `${exampleAddress}/v1/pets`;

const list: ApiRequest = { method: 'GET', path: '/v1/pets?limit=20', headers: [] };
const twoPets =
  '[{"id":1,"name":"Rex","categoryId":1,"status":"available"},{"id":2,"name":"Mia","categoryId":2}]';

const create: ApiRequest = {
  method: 'POST',
  path: '/v1/pets',
  headers: [json, ['Idempotency-Key', 'order-4711']],
  body: '{"name":"Rex","categoryId":9007199254740993,"status":"available"}',
};

const retried: ApiRequest = {
  ...create,
  headers: [json, ['Idempotency-Key', 'order-4712']],
  body: '{"name":"Mia","categoryId":2}',
};

const invalid: ApiRequest = { method: 'POST', path: '/v1/pets', headers: [json], body: '{"status":"lost"}' };

export const guideExamples = {
  firstCall: sample(list, '200', twoPets, clientSamples['listPets'] ?? { code: '', prints: '' }),

  ignored: sample({ ...list, path: '/v1/pets?name=Rex' }, '200', twoPets, {
    code: `${clientSetup}
// @ts-expect-error There is no option called name.
const { pets } = await client.listPets({ name: 'Rex' });
for (const pet of pets) console.log(pet.id, pet.name);`,
    prints: '1n Rex\n2n Mia',
  }),

  create: sample(create, '201', '{"id":1,"name":"Rex","categoryId":9007199254740993,"status":"available"}', {
    code: `${clientSetup}
const pet = await client.createPet({
  name: 'Rex',
  categoryId: 9007199254740993n,
  status: 'available',
});
console.log(pet.id, pet.categoryId);`,
    prints: '1n 9007199254740993n',
  }),

  retries: {
    ...sample(retried, '201', '{"id":2,"name":"Mia","categoryId":2}', {
      code: `${clientSetup}
const pet = await client.createPet(
  { name: 'Mia', categoryId: 2n },
  // Your own key lets you retry after your program restarts.
  { idempotencyKey: 'order-4712' },
);
console.log(pet.id, pet.name);`,
      prints: '2n Mia',
    }),
    curl: {
      code: renderCurl(exampleAddress, retried).replace('curl ', 'curl --retry 4 --retry-all-errors \\\n  '),
      prints: '{"id":2,"name":"Mia","categoryId":2}',
    },
  },

  pages: {
    curl: {
      code: `curl -s -D - -o /dev/null -H "Authorization: Bearer $API_KEY" \\
  '${petUrl}?limit=1&status=available' \\
  | grep '^Link'`,
      prints: 'Link: <?limit=1&status=available&cursor=MS5hdmFpbGFibGUuMS4xaTcyM3Ny>; rel="next"',
    },
    typescript: {
      code: `${clientSetup}
for await (const pet of client.pets({ status: 'available' })) {
  console.log(pet.id, pet.name);
}`,
      prints: '1n Rex\n3n Luna',
    },
    fetch: {
      code: `const headers = {
  Authorization: \`Bearer \${process.env.API_KEY}\`,
};

let url = '${petUrl}?status=available';
while (url) {
  const response = await fetch(url, { headers });
  for (const pet of await response.json())
    console.log(pet.id, pet.name);

  const link = response.headers.get('Link') ?? '';
  const [, next] = /<([^>]*)>; rel="next"/.exec(link) ?? [];
  url = next && new URL(next, url).href;
}`,
      prints: '1 Rex\n3 Luna',
    },
  },

  errors: sample(
    invalid,
    '400',
    '{"code":"invalid_pet","message":"name is required. categoryId is required. status must be one of available, pending, sold, or left out.","status":400}',
    {
      code: `import {
  createClient,
  isPetstoreError,
  isUnauthorized,
} from 'petstore-client';

const client = createClient({
  baseUrl: '${exampleAddress}',
  apiKey: 'mistyped',
});
try {
  await client.listPets();
} catch (error) {
  if (isUnauthorized(error))
    console.log('Ask for another key:', error.code);
  else if (isPetstoreError(error))
    console.log(error.code, error.requestId);
  else throw error;
}`,
      prints: 'Ask for another key: invalid_api_key',
    },
  ),

  deprecation: {
    curl: {
      code: `curl -s -D - -o /dev/null -H "Authorization: Bearer $API_KEY" \\
  ${petUrl}/1 | grep '^Sunset'`,
      prints: 'Sunset: Thu, 05 Dec 2030 00:00:00 GMT',
    },
    typescript: {
      code: `import { createClient, type Pet } from 'petstore-client';

const client = createClient({
  baseUrl: '${exampleAddress}',
  apiKey: process.env.API_KEY ?? '',
  onDeprecation: ({ operation, sunsetAt }) =>
    console.warn(operation, 'will be removed on', sunsetAt),
});

const petsById = new Map<bigint, Pet>();
for await (const pet of client.pets({ status: 'available' }))
  petsById.set(pet.id, pet);
console.log(petsById.get(1n)?.name);`,
      prints: 'Rex',
    },
    fetch: {
      code: `const url = '${petUrl}/1';
const response = await fetch(url, {
  headers: { Authorization: \`Bearer \${process.env.API_KEY}\` },
});
console.log(response.headers.get('Sunset'));`,
      prints: 'Thu, 05 Dec 2030 00:00:00 GMT',
    },
  },
} satisfies Record<string, CodeSample>;

/** A request in curl and fetch, and the same call with the client. */
function sample(request: ApiRequest, status: string, prints: string, typescript: Shown): CodeSample {
  return {
    status,
    curl: { code: renderCurl(exampleAddress, request), prints },
    typescript,
    fetch: { code: renderFetch(exampleAddress, request), prints },
  };
}
