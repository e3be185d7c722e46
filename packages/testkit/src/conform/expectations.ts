import type { Exchange } from './api.ts';
import { expectErrorBody } from './errors.ts';
import { expectRefusal, expectThat } from './mismatch.ts';
import { readPets, type SeenPet, type SentPet } from './pets.ts';
import { limits } from './rules.ts';

export function expectJsonType(exchange: Exchange): void {
  const type = exchange.headers.get('Content-Type');
  expectThat(
    type !== null && /^application\/json\s*(?:;|$)/i.test(type),
    exchange,
    'Content-Type: application/json',
    type === null ? 'no Content-Type' : `Content-Type: ${type}`,
  );
}

/** Fails unless the pet has exactly the values that were sent. */
export function expectValues(exchange: Exchange, pet: SeenPet, sent: SentPet): void {
  const { shown: seen } = pet;
  const { name, categoryId, status } = sent;
  expectThat(pet.name === name, exchange, `the name ${JSON.stringify(name)}, as it was sent`, seen);
  expectThat(
    `${pet.categoryId}` === categoryId,
    exchange,
    `the categoryId ${categoryId}, as it was sent`,
    seen,
  );
  if (status === undefined) {
    expectThat(!pet.fieldNames.includes('status'), exchange, 'no field status, because none was sent', seen);
  } else {
    expectThat(pet.status === status, exchange, `the status ${status}, as it was sent`, seen);
  }
}

/** Fails unless the pet has the fields that are always there, of the right types. */
export function expectRequiredFields(exchange: Exchange, pet: SeenPet): void {
  expectThat(typeof pet.name === 'string', exchange, 'a string name in each pet', pet.shown);
  expectThat(pet.categoryId !== undefined, exchange, 'an int64 categoryId in each pet', pet.shown);
}

/** The contract does not say what an invalid parameter does: refuse it or not, but no list is longer than 100. */
export function expectRefusalOrPets(exchange: Exchange): SeenPet[] {
  if (exchange.status !== 200) {
    expectRefusal(exchange);
    expectErrorBody(exchange);
    return [];
  }
  const pets = readPets(exchange);
  expectThat(pets.length <= limits.largest, exchange, 'at most 100 pets', `${pets.length} pets`);
  return pets;
}

export function findById(pets: SeenPet[], { id }: SeenPet): SeenPet | undefined {
  return pets.find((pet) => pet.id === id);
}
