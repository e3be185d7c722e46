import { untilTrue } from './until-true.ts';

export async function untilReady(url: string): Promise<void> {
  await untilTrue('the service is ready', async () => (await fetch(`${url}/readyz`)).ok);
}

/** Creates a pet, and expects the list to hold it after the pets that were there. */
export async function createAndList(url: string, key: string, before: string[], name: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name, categoryId: 1, status: 'available' });
  const created = await fetch(`${url}/v1/pets`, { method: 'POST', headers, body });
  if (created.status !== 201) throw new Error(`A create gets ${created.status}: ${await created.text()}`);
  const listed = (await (await fetch(`${url}/v1/pets`, { headers })).json()) as { name: string }[];
  const names = listed.map((pet) => pet.name).join();
  if (names !== [...before, name].join()) throw new Error(`The list holds ${names}.`);
}
