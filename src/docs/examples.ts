/**
 * The examples of `/docs` in both languages. A test runs them in order on an empty store and compares their output.
 * The docs show the address of the service instead of this one.
 */
export const exampleAddress = 'http://127.0.0.1:8080';

export interface Example {
  curl: string;
  typescript: string;
  /** The output of both, or of each. */
  prints: string | { curl: string; typescript: string };
}

const setup = `import { createClient } from 'petstore-client';

const client = createClient({ baseUrl: '${exampleAddress}', apiKey: process.env.API_KEY! });
`;

export const examples = {
  firstCall: {
    curl: `curl -H "Authorization: Bearer $API_KEY" ${exampleAddress}/v1/pets`,
    typescript: `${setup}
const { pets } = await client.listPets();
console.log(JSON.stringify(pets));`,
    prints: '[]',
  },

  create: {
    curl: `curl -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-4711' \\
  -d '{"name":"Rex","categoryId":9007199254740993,"status":"available"}' \\
  ${exampleAddress}/v1/pets`,
    typescript: `${setup}
const pet = await client.createPet({
  name: 'Rex',
  categoryId: 9007199254740993n,
  status: 'available',
});
console.log(pet.id, pet.categoryId);`,
    prints: {
      curl: '{"id":1,"name":"Rex","categoryId":9007199254740993,"status":"available"}',
      typescript: '1n 9007199254740993n',
    },
  },

  retries: {
    curl: `curl --retry 4 --retry-all-errors -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-4712' \\
  -d '{"name":"Mia","categoryId":2,"status":"available"}' \\
  ${exampleAddress}/v1/pets`,
    typescript: `${setup}
const pet = await client.createPet(
  { name: 'Mia', categoryId: 2n, status: 'available' },
  // Pass your own key to retry after your program restarts. Otherwise leave it out.
  { idempotencyKey: 'order-4712', signal: AbortSignal.timeout(30_000) },
);
console.log(pet.name);`,
    prints: {
      curl: '{"id":2,"name":"Mia","categoryId":2,"status":"available"}',
      typescript: 'Mia',
    },
  },

  pages: {
    curl: `curl -s -D - -o /dev/null -H "Authorization: Bearer $API_KEY" \\
  "${exampleAddress}/v1/pets?limit=1&status=available" | grep '^Link'`,
    typescript: `${setup}
let count = 0;
for await (const pet of client.pets({ status: 'available' })) {
  if (pet.name === 'Rex') count += 1;
}
console.log(count);`,
    prints: {
      curl: 'Link: <?limit=1&status=available&cursor=MS5hdmFpbGFibGUuMS4xaTcyM3Ny>; rel="next"',
      typescript: '1',
    },
  },

  errors: {
    curl: `curl -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"status":"lost"}' \\
  ${exampleAddress}/v1/pets`,
    typescript: `import { createClient, isPetstoreError, isUnauthorized } from 'petstore-client';

const client = createClient({ baseUrl: '${exampleAddress}', apiKey: 'mistyped' });
try {
  await client.listPets();
} catch (error) {
  if (isUnauthorized(error)) console.log('Ask for another key:', error.code);
  else if (isPetstoreError(error)) console.log(error.code, error.status, error.requestId);
  else throw error;
}`,
    prints: {
      curl: '{"code":"invalid_pet","message":"name is required. categoryId is required. status must be one of available, pending, sold, or left out.","status":400}',
      typescript: 'Ask for another key: invalid_api_key',
    },
  },

  deprecation: {
    curl: `curl -s -D - -o /dev/null -H "Authorization: Bearer $API_KEY" \\
  ${exampleAddress}/v1/pets/1 | grep '^Sunset'`,
    typescript: `import { createClient, type Pet } from 'petstore-client';

const client = createClient({
  baseUrl: '${exampleAddress}',
  apiKey: process.env.API_KEY!,
  onDeprecation: ({ operation, sunsetAt }) => console.warn(operation, 'will be removed on', sunsetAt),
});

const petsById = new Map<bigint, Pet>();
for await (const pet of client.pets({ status: 'available' })) petsById.set(pet.id, pet);
console.log(petsById.get(1n)?.name);`,
    prints: { curl: 'Sunset: Thu, 05 Dec 2030 00:00:00 GMT', typescript: 'Rex' },
  },
} satisfies Record<string, Example>;
