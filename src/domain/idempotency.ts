import { hash } from 'node:crypto';
import { PetstoreError } from './error.ts';
import { petFields } from './fields.ts';
import type { NewPet } from './pet.ts';
import type { TableForm } from './table.ts';

/** Makes a create safe to repeat: repeating an idempotency key creates no second pet. */
export interface Idempotency {
  key: string;
  /** The hash of the caller's API key, so that two callers may use equal idempotency keys. */
  caller: string;
  /** The {@link fingerprintOf} the pet: a key stands for one request. */
  requestHash: string;
}

/** Equal for equal keys of one caller. */
export function keyOf({ caller, key }: Pick<Idempotency, 'caller' | 'key'>): string {
  return JSON.stringify([caller, key]);
}

/** The contract promises 24 hours; the second day allows for a clock that is set forward by one. */
export const idempotencyRetentionMs = 48 * 60 * 60 * 1000;

/** Two creates are the same request if they describe equal pets, however the JSON is written. */
export function fingerprintOf(pet: NewPet): string {
  const values = petFields.map(({ name }) => pet[name]?.toString() ?? null);
  // Ignore absent fields added after the first three, so a create retried across an upgrade keeps its fingerprint.
  const count = Math.max(3, values.findLastIndex((value) => value !== null) + 1);
  return hash('sha256', JSON.stringify(values.slice(0, count)), 'hex');
}

export function idempotencyConflict(): PetstoreError {
  return new PetstoreError(
    'idempotency_conflict',
    'This Idempotency-Key was used for another pet. Send a new key for a new pet.',
  );
}

/** The pet that an idempotency key created. */
export interface IdempotencyRecord extends Idempotency {
  petId: bigint;
  createdAt: Date;
}

export type IdempotencyHolder = Pick<IdempotencyRecord, 'petId' | 'requestHash'>;

export type IdempotencyRow = Record<'caller' | 'key' | 'request_hash' | 'pet_id' | 'created_at', string>;

export const idempotencyTable: TableForm<IdempotencyRecord, IdempotencyRow> = {
  name: 'idempotency_keys',
  columns: { created_at: 'bigint', pet_id: 'bigint', caller: 'text', key: 'text', request_hash: 'text' },
  keyLength: 2,
  valuesOf: (row) => [row.createdAt.getTime(), row.petId, row.caller, row.key, row.requestHash],
  parse: ({ caller, key, request_hash: requestHash, pet_id: petId, created_at: createdAt }) => ({
    caller,
    key,
    requestHash,
    petId: BigInt(petId),
    createdAt: new Date(Number(createdAt)),
  }),
};
