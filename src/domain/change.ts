import { hash } from 'node:crypto';
import type { ApiKey } from './api-key.ts';
import { categoryNotFound } from './category.ts';
import { idsUsedUp, petNotFound, PetstoreError } from './error.ts';
import { orderStatusOf } from './history.ts';
import { type NewPet, petFields, type PetUpdate } from './pet.ts';
import { preconditionFailed, type Preconditions, type UnmetPrecondition } from './precondition.ts';

/** All that a store can be asked to change, as plain data that may pass between threads. */
export type Change = PetChange | CategoryChange | KeyChange;
export type PetChange = CreatePet | UpdatePet | DeletePet;
export type CategoryChange = PutCategory | DeleteCategory;
export type KeyChange = CreateKey | RevokeKey | NoteKeyUse;

interface ByCaller {
  /** The name of the API key. */
  by?: string | undefined;
}

export interface CreatePet extends ByCaller {
  kind: 'create-pet';
  pet: NewPet;
  idempotency?: Idempotency | undefined;
}

export interface UpdatePet extends PetUpdate, ChangeTarget {
  kind: 'update-pet';
}

export interface DeletePet extends ChangeTarget {
  kind: 'delete-pet';
}

/** Gives a number its first name, or another one. */
export interface PutCategory extends ChangeTarget {
  kind: 'put-category';
  name: string;
}

export interface DeleteCategory extends ChangeTarget {
  kind: 'delete-category';
}

export interface ChangeTarget extends ByCaller {
  id: bigint;
  /** Decided in the commit, because the target may change before. */
  preconditions?: Preconditions | undefined;
}

/** Changes of keys do not write events, which would tell every reader of the log who has access. */
export interface CreateKey {
  kind: 'create-key';
  key: Omit<ApiKey, 'id'>;
}

export interface RevokeKey {
  kind: 'revoke-key';
  id: bigint;
  revokedAt: Date;
}

export interface NoteKeyUse {
  kind: 'note-key-use';
  id: bigint;
  usedAt: Date;
}

/** The store adds the time, in milliseconds since 1970. */
export type Timed<Kind extends Change> = Kind & { at: number };
export type TimedChange = Timed<Change>;

/** The pet or category after a change; after a delete, its last state. */
export interface Applied {
  id: bigint;
  json: string;
  /** True for the first name of a category, and for a create unless it repeats an earlier one. */
  isNew: boolean;
}

/** The result of a change; for a change of a key, the key after it. */
export type AppliedBy<Kind extends Change> = Kind extends KeyChange ? ApiKey : Applied;

/** Why a change does nothing. It is a result, not an error, because an error would undo the rest of the batch. */
export type Refusal = 'missing' | 'changed' | UnmetPrecondition | 'conflict' | 'ids-used-up';
export type Outcome = Applied | ApiKey | Refusal;

/** What a change is about. */
export function subjectOf({ kind }: Change): 'pet' | 'category' | 'key' {
  if (kind.endsWith('-pet')) return 'pet';
  return kind.endsWith('-category') ? 'category' : 'key';
}

/** Whether a change may write an order, whose id has to be drawn before. */
export function mayOrder(change: Change): boolean {
  if (change.kind === 'create-pet') return orderStatusOf(change.pet.status) !== undefined;
  return change.kind === 'update-pet' && orderStatusOf(change.changes.status) !== undefined;
}

/** The error for the caller. */
export function refusalError(refusal: Refusal, { kind }: Change): PetstoreError {
  if (refusal === 'missing') return kind === 'delete-category' ? categoryNotFound() : petNotFound();
  if (refusal === 'ids-used-up') return idsUsedUp();
  if (refusal === 'conflict')
    return new PetstoreError(
      'idempotency_conflict',
      'This Idempotency-Key was used for another pet. Send a new key for a new pet.',
    );
  if (refusal !== 'changed') return preconditionFailed(refusal);
  return new PetstoreError(
    'precondition_failed',
    'The pet is not as you expected it. Get it again, then decide.',
  );
}

/** Makes a create safe to repeat: with the same key, it does not add a second pet. */
export interface Idempotency {
  key: string;
  /** The hash of the caller's API key, so that two callers may use equal idempotency keys. */
  caller: string;
  /** The {@link fingerprintOf} the pet: a key stands for one request. */
  requestHash: string;
}

/** Equal for equal keys of one caller. */
export function idempotencyIdOf({ caller, key }: Pick<Idempotency, 'caller' | 'key'>): string {
  return JSON.stringify([caller, key]);
}

/** Two creates are the same request if they describe equal pets, however the JSON is written. */
export function fingerprintOf(pet: NewPet): string {
  const values = petFields.map(({ name }) => pet[name]?.toString() ?? null);
  // Ignore absent fields added after the first three, so a create retried across an upgrade keeps its fingerprint.
  const count = Math.max(3, values.findLastIndex((value) => value !== null) + 1);
  return hash('sha256', JSON.stringify(values.slice(0, count)), 'hex');
}

/** The create that holds an idempotency key. */
export interface IdempotencyHolder extends Pick<Idempotency, 'requestHash'> {
  petId: bigint;
}
