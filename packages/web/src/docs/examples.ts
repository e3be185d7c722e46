import { exampleAddress, renderCurl, type ApiRequest } from './code.ts';
import { toSample, type CodeSample, type Shown } from './samples.ts';

/** The samples that are written by hand. A test runs each against a store with pets and compares its output. */

/** A program that uses the client, with what it prints. */
function program(code: string, prints: string, imports = 'createClient'): Shown {
  const setup = `import { ${imports} } from 'petstore-client';

const client = createClient({
  baseUrl: '${exampleAddress}',
  apiKey: process.env.API_KEY ?? '',
});
`;
  return { code: `${setup}\n${code}`, prints };
}

/** The contract's example calls, by operation. */
export const clientSamples: Record<string, Shown> = {
  listPets: program(
    `const { pets } = await client.listPets({ limit: 20 });
for (const pet of pets) console.log(pet.id, pet.name);`,
    '1n Rex\n2n Mia',
  ),
  createPet: program(
    `const pet = await client.createPet({
  name: 'Rex',
  categoryId: 1n,
  status: 'available',
});
console.log(pet.id, pet.name);`,
    '1n Rex',
  ),
  getPet: program(
    `const pet = await client.getPet(1n);
console.log(pet.id, pet.name);`,
    '1n Rex',
  ),
  updatePet: program(
    `const pet = await client.updatePet(1n, {
  status: 'sold',
  expected: { status: 'available' },
});
console.log(pet.name, pet.status);`,
    'Rex sold',
  ),
  deletePet: program(
    `await client.deletePet(1n);
console.log('Removed');`,
    'Removed',
  ),
  searchPets: program(
    `for await (const pet of client.searchPets({ q: 'rex' })) {
  console.log(pet.id, pet.name);
}`,
    '1n Rex',
  ),
  listCategories: program(
    `for await (const category of client.categories()) {
  console.log(category.id, category.name);
}`,
    '1n Dogs\n7n Cats',
  ),
  getCategory: program(
    `const category = await client.getCategory(7n);
console.log(category.id, category.name);`,
    '7n Cats',
  ),
  putCategory: program(
    `const category = await client.putCategory(7n, 'Cats');
console.log(category.id, category.name);`,
    '7n Cats',
  ),
  deleteCategory: program(
    `await client.deleteCategory(7n);
console.log('Removed');`,
    'Removed',
  ),
  getKey: program(
    `const key = await client.getKey();
console.log(key.name, key.readOnly ? 'may only read' : 'may write');`,
    'till-2 may write',
  ),
  listOrders: program(
    `for await (const order of client.orders()) {
  console.log(order.petId, order.status, order.createdAt.toISOString());
}`,
    '1n sold 2026-11-14T09:30:00.000Z',
  ),
  listEvents: program(
    `const { events, after } = await client.listEvents({ limit: 1 });
for (const event of events) {
  console.log(event.id, event.type, event.pet?.name);
}
// Continue from here: client.events({ after })
console.log(after);`,
    '1n pet.created Rex\nZTEuMGMxYWQ5OGY0YjdlMjM1Ni4yLjFhaTJxeA',
  ),
};

const json: [string, string] = ['Content-Type', 'application/json'];

const list: ApiRequest = { method: 'GET', path: '/v1/pets?limit=20', headers: [] };
const twoPets =
  '[{"id":1,"name":"Rex","categoryId":1,"status":"available"},{"id":2,"name":"Mia","categoryId":2}]';

const create = {
  method: 'POST',
  path: '/v1/pets',
  headers: [json],
  body: '{"name":"Rex","categoryId":1,"status":"available"}',
} satisfies ApiRequest;

const retried: ApiRequest = {
  ...create,
  headers: [json, ['Idempotency-Key', 'order-4712']],
  body: '{"name":"Mia","categoryId":2}',
};

const invalid: ApiRequest = { ...create, body: '{"status":"lost"}' };
const invalidPet =
  '{"code":"invalid_pet","message":"name is required. categoryId is required. status must be one of available, pending, sold, or left out.","status":400}';

export const guideExamples = {
  firstCall: toSample(list, '200', twoPets, clientSamples['listPets']),

  create: toSample(create, '201', `{"id":1,${create.body.slice(1)}`, clientSamples['createPet']),

  retries: {
    status: '201',
    curl: {
      code: renderCurl(retried).replace('curl ', 'curl --retry 4 --retry-all-errors \\\n  '),
      prints: '{"id":2,"name":"Mia","categoryId":2}',
    },
    typescript: program(
      `const pet = await client.createPet(
  { name: 'Mia', categoryId: 2n },
  // Your own key lets you retry after your program restarts.
  { idempotencyKey: 'order-4712' },
);
console.log(pet.id, pet.name);`,
      '2n Mia',
    ),
  },

  pages: {
    curl: {
      code: `curl -s -D - -o /dev/null -H "Authorization: Bearer $API_KEY" \\
  '${exampleAddress}/v1/pets?limit=1' | grep -i '^link'`,
      prints: 'Link: <?limit=1&cursor=MS4uMS5pZ2xkMA>; rel="next"',
    },
    typescript: program(
      `for await (const pet of client.pets()) {
  console.log(pet.id, pet.name);
}`,
      '1n Rex\n2n Mia',
    ),
  },

  errors: toSample(
    invalid,
    '400',
    invalidPet,
    program(
      `try {
  await client.createPet({ name: 'Rex\\0', categoryId: 1n });
} catch (error) {
  if (!isPetstoreError(error, 'invalid_pet')) throw error;
  console.log('Not added:', error.code);
}`,
      'Not added: invalid_pet',
      'createClient, isPetstoreError',
    ),
  ),
} satisfies Record<string, CodeSample>;
