import { exampleAddress, newUuid, renderCurl, type ApiRequest } from './code.ts';
import { toSample, type CodeSample, type Shown } from './samples.ts';

/** The samples that are written by hand. A test runs each against a store with pets and compares its output. */

/** The first lines of every program that uses the client. */
const clientSetup = `import { createClient } from 'petstore-client';

const client = createClient({
  baseUrl: '${exampleAddress}',
  apiKey: process.env.API_KEY ?? '',
});
`;

/** The contract's example calls, by operation. */
export const clientSamples: Record<string, Shown> = {
  listPets: {
    code: `${clientSetup}
const { pets } = await client.listPets({ limit: 20 });
for (const pet of pets) console.log(pet.id, pet.name);`,
    prints: '1n Rex\n2n Mia',
  },
  createPet: {
    code: `${clientSetup}
const pet = await client.createPet({
  name: 'Rex',
  categoryId: 1n,
  status: 'available',
});
console.log(pet.id, pet.name);`,
    prints: '1n Rex',
  },
  getPet: {
    code: `${clientSetup}
const pet = await client.getPet(1n);
console.log(pet.id, pet.name);`,
    prints: '1n Rex',
  },
  updatePet: {
    code: `${clientSetup}
const pet = await client.updatePet(1n, {
  status: 'sold',
  expected: { status: 'available' },
});
console.log(pet.name, pet.status);`,
    prints: 'Rex sold',
  },
  deletePet: {
    code: `${clientSetup}
await client.deletePet(1n);
console.log('Removed');`,
    prints: 'Removed',
  },
  searchPets: {
    code: `${clientSetup}
for await (const pet of client.searchPets({ q: 'rex' })) {
  console.log(pet.id, pet.name);
}`,
    prints: '1n Rex',
  },
  listCategories: {
    code: `${clientSetup}
for await (const category of client.categories()) {
  console.log(category.id, category.name);
}`,
    prints: '1n Dogs\n7n Cats',
  },
  putCategory: {
    code: `${clientSetup}
const category = await client.putCategory(7n, 'Cats');
console.log(category.id, category.name);`,
    prints: '7n Cats',
  },
  deleteCategory: {
    code: `${clientSetup}
await client.deleteCategory(7n);
console.log('Removed');`,
    prints: 'Removed',
  },
  getKey: {
    code: `${clientSetup}
const key = await client.getKey();
console.log(key.name, key.readOnly ? 'may only read' : 'may write');`,
    prints: 'till-2 may write',
  },
  listOrders: {
    code: `${clientSetup}
for await (const order of client.orders()) {
  console.log(order.petId, order.status, order.createdAt.toISOString());
}`,
    prints: '1n sold 2026-11-14T09:30:00.000Z',
  },
  listEvents: {
    code: `${clientSetup}
const { events, after } = await client.listEvents({ limit: 1 });
for (const event of events) {
  console.log(event.id, event.type, event.pet?.name);
}
// Continue from here: client.events({ after })
console.log(after);`,
    prints: '1n pet.created Rex\nZTEuMGMxYWQ5OGY0YjdlMjM1Ni4yLjFhaTJxeA',
  },
};

const json: [string, string] = ['Content-Type', 'application/json'];
const petUrl = `${exampleAddress}/v1/pets`;

const list: ApiRequest = { method: 'GET', path: '/v1/pets?limit=20', headers: [] };
const twoPets =
  '[{"id":1,"name":"Rex","categoryId":1,"status":"available"},{"id":2,"name":"Mia","categoryId":2}]';

const create = {
  method: 'POST',
  path: '/v1/pets',
  headers: [json, ['Idempotency-Key', newUuid]],
  body: '{"name":"Rex","categoryId":9007199254740993,"status":"available"}',
} satisfies ApiRequest;

const retried: ApiRequest = {
  ...create,
  headers: [json, ['Idempotency-Key', 'order-4712']],
  body: '{"name":"Mia","categoryId":2}',
};

const invalid: ApiRequest = { method: 'POST', path: '/v1/pets', headers: [json], body: '{"status":"lost"}' };
const invalidPet =
  '{"code":"invalid_pet","message":"name is required. categoryId is required. status must be one of available, pending, sold, or left out.","status":400}';

export const guideExamples = {
  firstCall: toSample(list, '200', twoPets, clientSamples['listPets']),

  create: toSample(create, '201', `{"id":1,${create.body.slice(1)}`, {
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
    ...toSample(retried, '201', '{"id":2,"name":"Mia","categoryId":2}', {
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
      code: renderCurl(retried).replace('curl ', 'curl --retry 4 --retry-all-errors \\\n  '),
      prints: '{"id":2,"name":"Mia","categoryId":2}',
    },
  },

  pages: {
    curl: {
      code: `curl -s -D - -o /dev/null -H "Authorization: Bearer $API_KEY" \\
  '${petUrl}?limit=1' | grep -i '^link'`,
      prints: 'Link: <?limit=1&cursor=MS4uMS5pZ2xkMA>; rel="next"',
    },
    typescript: {
      code: `${clientSetup}
for await (const pet of client.pets()) {
  console.log(pet.id, pet.name);
}`,
      prints: '1n Rex\n2n Mia',
    },
    python: {
      code: `import json
import os
import re
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import Request, urlopen

headers = {"Authorization": f"Bearer {os.environ['API_KEY']}"}
url = "${petUrl}?limit=100"
try:
    while url:
        with urlopen(Request(url, headers=headers)) as response:
            for pet in json.load(response):
                print(pet["id"], pet["name"])
            link = response.headers.get("Link", "")
        following = re.search('<([^>]*)>; rel="next"', link)
        url = following and urljoin(url, following[1])
except HTTPError as error:
    print(error.code, error.read().decode())`,
      prints: '1 Rex\n2 Mia',
    },
  },

  errors: toSample(invalid, '400', invalidPet, {
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
  }),
} satisfies Record<string, CodeSample>;

/** A test runs this program and compares its mirror with a listing. */
export const mirrorProgram = `${clientSetup
  .replace('createClient }', 'createClient, isPetstoreError, type Pet }')
  .replace('\n});', '\n  retryForMs: Infinity, // Wait out every outage.\n});')}
const mirror = new Map<bigint, Pet>();

async function follow() {
  const { after } = await client.listEvents({ after: 'now' });
  mirror.clear();
  for await (const pet of client.pets()) mirror.set(pet.id, pet);
  for await (const event of client.events({ after })) {
    if (event.type === 'pets.imported') return; // List again.
    if (!event.pet) continue; // A category, or a type of a later release.
    if (event.type === 'pet.deleted') mirror.delete(event.pet.id);
    else mirror.set(event.pet.id, event.pet);
    console.log(event.type, event.pet.name, mirror.size);
  }
}

for (;;) {
  await follow().catch((error) => {
    if (!isPetstoreError(error, 'events_gone')) throw error;
  });
}`;
