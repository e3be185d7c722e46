import { hash } from 'node:crypto';
import { PetstoreError } from './error.ts';
import { JsonNumber, toInt64 } from './int64.ts';

export const petStatuses = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof petStatuses)[number];

export const pageLimit = { smallest: 1, largest: 100, default: 20 } as const;

/** A pet as a caller describes it; the service adds the id. */
export interface NewPet {
  name: string;
  categoryId: bigint;
  status?: PetStatus;
}

export interface Pet extends NewPet {
  id: bigint;
}

/** JSON as the store rendered it, ready for the socket. */
export type RenderedJson = string | Uint8Array<ArrayBuffer>;

export interface PageRequest {
  limit: number;
  status?: PetStatus;
  /** Only pets with a greater id. */
  after?: bigint;
}

export interface Page {
  /** A JSON array of at most `limit` pets in ascending order of id. */
  json: RenderedJson;
  /** The last id of this page, present when more pets follow. */
  next?: bigint;
  /** True when others get this very object, too, so that what is made of it is worth keeping. */
  isShared?: boolean;
}

/** Makes a create safe to repeat: the same key of the same caller creates one pet. */
export interface Idempotency {
  key: string;
  /** Who asks, so that two callers may choose the same key: the hash of their API key. */
  caller: string;
}

/** A key is promised for 24 hours; the second day covers a clock that is set forward by one. */
export const idempotencyRetentionMs = 48 * 60 * 60 * 1000;

export interface CreatedPet {
  id: bigint;
  json: RenderedJson;
  /** True when an earlier request with the same idempotency key had created this pet. */
  replayed: boolean;
}

/**
 * Keeps the pets. Any method fails with `unavailable` while the store cannot be reached, read or written.
 */
export interface PetStore {
  /** At least as new as every create that was acknowledged before the call. */
  listPets(request: PageRequest): Page | Promise<Page>;

  /** The pet as JSON, or undefined when no pet has this id. */
  getPet(id: bigint): RenderedJson | undefined | Promise<RenderedJson | undefined>;

  /**
   * Resolves once the pet is on disk. Fails with `overloaded` when too many creates wait,
   * with `idempotency_conflict` when the key was used for another pet.
   */
  createPet(pet: NewPet, idempotency?: Idempotency): Promise<CreatedPet>;

  /** Resolves when the store has proven, by a real commit, that it can be written. */
  checkWritable(): Promise<void>;
}

/** What makes two creates the same request for an idempotency key: the pet they describe, not their spelling. */
export function fingerprintOf({ name, categoryId, status }: NewPet): string {
  return hash('sha256', JSON.stringify([name, String(categoryId), status ?? null]), 'hex');
}

export function isPetStatus(value: unknown): value is PetStatus {
  return (petStatuses as readonly unknown[]).includes(value);
}

/** Reads a pet from parsed JSON, or throws `invalid_pet` with every problem in one message. */
export function parseNewPet(body: unknown): NewPet {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || body instanceof JsonNumber) {
    throw new PetstoreError(
      'invalid_pet',
      'The body must be a JSON object with the fields name and categoryId.',
    );
  }
  const field = (name: string): unknown =>
    Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined;
  const problems: string[] = [];

  const name = field('name');
  if (name === undefined) problems.push('name is required.');
  else if (typeof name !== 'string') problems.push('name must be a string.');
  else if (!name.isWellFormed() || name.includes('\0')) {
    problems.push('name must be well-formed Unicode without U+0000.');
  }

  const categoryNumber = field('categoryId');
  const categoryId = toInt64(categoryNumber);
  if (categoryNumber === undefined) problems.push('categoryId is required.');
  else if (categoryId === undefined) {
    problems.push('categoryId must be an integer from -9223372036854775808 to 9223372036854775807.');
  }

  const status = field('status');
  if (status !== undefined && !isPetStatus(status)) {
    problems.push(`status must be one of ${petStatuses.join(', ')}, or left out.`);
  }

  if (problems.length > 0) throw new PetstoreError('invalid_pet', problems.join(' '));
  const pet: NewPet = { name: name as string, categoryId: categoryId as bigint };
  if (status !== undefined) pet.status = status as PetStatus;
  return pet;
}
