import { exampleAddress } from './request.ts';
import type { Shown } from './sample.ts';

/** The first lines of every program that uses the client. */
export const clientSetup = `import { createClient } from 'petstore-client';

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
