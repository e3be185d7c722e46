import type { Api, Exchange } from './api.ts';
import { readError } from './errors.ts';
import { createReason, expectStatus, expectThat, operationOf, refusalReason } from './mismatch.ts';
import { notJsonReason, post, readPet, readPets, renderPet, type SeenPet, type SentPet } from './pets.ts';
import { limits, statuses } from './rules.ts';

/** Why pets differ from what was sent. */
export const reasons = {
  id: 'a pet is found by its id',
  name: 'a name is kept',
  categoryId: 'a categoryId is kept',
  status: 'a status is kept',
  statusNotSent: 'a status is kept > if none was sent',
  tooFew: 'a list has too few pets',
  missing: 'a list has too few pets > a pet is missing',
};

export function expectJsonType(exchange: Exchange): void {
  const type = exchange.headers.get('Content-Type');
  expectThat(
    type !== null && /^application\/json\s*(?:;|$)/i.test(type),
    exchange,
    'Content-Type: application/json',
    type === null ? 'no Content-Type' : `Content-Type: ${type}`,
    isJson(exchange.text)
      ? `Content-Type of ${exchange.status < 400 ? operationOf(exchange.request) : 'errors'}`
      : notJsonReason(exchange),
  );
}

/**
 * Fails unless the pet has exactly the values that were sent. If no status was sent, the pet must have the status that
 * it got when it was created.
 */
export function expectValues(exchange: Exchange, pet: SeenPet, sent: SentPet, created?: SeenPet): void {
  const { text: seen } = pet;
  const { name, categoryId, status } = sent;
  expectThat(
    pet.name === name,
    exchange,
    `the name ${JSON.stringify(name)}, as it was sent`,
    seen,
    typeof pet.name === 'string' && !ordinaryName.test(name) ? `${reasons.name} > ${name}` : reasons.name,
  );
  expectThat(
    `${pet.categoryId}` === categoryId,
    exchange,
    `the categoryId ${categoryId}, as it was sent`,
    seen,
    categoryReasonOf(BigInt(categoryId)),
  );
  if (status !== undefined) {
    const expected = `the status ${status}, as it was sent`;
    expectThat(pet.status === status, exchange, expected, seen, reasons.status);
  } else if (created === undefined) {
    expectStatusField(exchange, pet);
  } else {
    const initial = created.fieldNames.includes('status')
      ? `the status ${String(created.status)}`
      : 'no status';
    const expected = `${initial}, as in the response to its create`;
    expectThat(pet.status === created.status, exchange, expected, seen, reasons.statusNotSent);
  }
}

/** A pet may have a default status, but never null. */
export function expectStatusField(exchange: Exchange, { fieldNames, status, text }: SeenPet): void {
  const isRight = !fieldNames.includes('status') || (statuses as readonly unknown[]).includes(status);
  const expected = 'a status of available, pending or sold, or no field status';
  const reason = typeof status === 'string' ? reasons.status : reasons.statusNotSent;
  expectThat(isRight, exchange, expected, text, reason);
}

/** Creates a pet with an unusual category; undefined if the service may lack the category and refuses it. */
export async function createOfCategory(api: Api, sent: SentPet): Promise<SeenPet | undefined> {
  const exchange = await api.send(post(renderPet(sent)));
  if (api.categoryId !== undefined && exchange.status === 400) return undefined;
  const reason = `${createReason(exchange.status)} > ${categoryReasonOf(BigInt(sent.categoryId))}`;
  expectThat(exchange.status === 201, exchange, 'status 201', undefined, reason);
  const created = readPet(exchange, 201);
  expectValues(exchange, created, sent);
  return created;
}

const ordinaryName = /^[\w -]{0,64}$/;

/** A service that loses small numbers also loses large ones. */
function categoryReasonOf(value: bigint): string {
  const size = value < 0n ? -value : value;
  const steps = [
    reasons.categoryId,
    size === 0n && 'zero',
    size > 2n ** 31n && 'past int32',
    size > 2n ** 53n && 'past 2^53',
  ];
  return steps.filter(Boolean).join(' > ');
}

/** The contract leaves invalid parameters open: they may be refused or not, but no list exceeds 100 pets. */
export function expectRefusalOrPets(exchange: Exchange): SeenPet[] {
  if (exchange.status !== 200) {
    expectRefusal(exchange);
    return [];
  }
  const pets = readPets(exchange);
  expectThat(pets.length <= limits.largest, exchange, 'at most 100 pets', `${pets.length} pets`);
  return pets;
}

/** If the contract does not name the error, any 4xx will do. */
export function expectRefusal(exchange: Exchange): void {
  const isRefusal = exchange.status >= 400 && exchange.status < 500;
  expectThat(isRefusal, exchange, 'a status from 400 to 499', undefined, refusalReason(exchange));
  readError(exchange);
}

/** Fails unless the response is an Error with this status, as JSON. */
export function expectError(exchange: Exchange, status: number): void {
  expectStatus(exchange, status);
  readError(exchange);
  expectJsonType(exchange);
}

/** Fails unless a list shows these pets, in this order. */
export function expectPets(exchange: Exchange, pets: readonly SeenPet[]): void {
  const ids = (of: readonly SeenPet[]) => of.map(({ id }) => id).join(', ') || '(none)';
  const [expected, seen] = [ids(pets), ids(readPets(exchange))];
  expectThat(seen === expected, exchange, `the pets ${expected}`, `the pets ${seen}`);
}

export function findById(pets: SeenPet[], { id }: SeenPet): SeenPet | undefined {
  return pets.find((pet) => pet.id === id);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
