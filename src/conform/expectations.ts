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
  expectThat(pet.name === sent.name, exchange, `the name ${JSON.stringify(sent.name)}, as it was sent`);
  expectThat(
    `${pet.categoryId}` === sent.categoryId,
    exchange,
    `the categoryId ${sent.categoryId}, as it was sent`,
  );
  if (sent.status === undefined) {
    expectThat(!pet.fieldNames.includes('status'), exchange, 'no field status, because none was sent');
  } else {
    expectThat(pet.status === sent.status, exchange, `the status ${sent.status}, as it was sent`);
  }
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
