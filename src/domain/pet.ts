import { hash } from 'node:crypto';
import { PetstoreError } from './error.ts';
import { int64Range, JsonNumber, toInt64 } from './int64.ts';

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

export interface PageRequest {
  limit: number;
  status?: PetStatus;
  /** Only pets with a greater id. */
  after?: bigint;
}

export interface Page {
  /** A JSON array of at most `limit` pets in ascending order of id. */
  json: string;
  /** The last id of this page, present when more pets follow. */
  next?: bigint;
}

/** Makes a create safe to repeat: the same key of the same caller creates one pet. */
export interface Idempotency {
  key: string;
  /** The hash of the caller's API key, so that two callers may choose the same idempotency key. */
  caller: string;
}

/** A key is promised for 24 hours; the second day covers a clock that is set forward by one. */
export const idempotencyRetentionMs = 48 * 60 * 60 * 1000;

export interface CreatedPet {
  id: bigint;
  json: string;
  /** True when an earlier request with the same idempotency key had created this pet. */
  replayed: boolean;
}

/** Keeps the pets and renders them as JSON. Every method fails with `unavailable` while the store cannot be used. */
export interface PetStore {
  /**
   * A number that changes whenever anybody commits: while it stays the same, so does everything that was read after it
   * was taken. Undefined where that cannot be known cheaply.
   */
  version(): number | undefined;

  /** At least as new as every write that was acknowledged before the call. */
  listPets(request: PageRequest): Page | Promise<Page>;

  /** The pet as JSON, or undefined when no pet has this id. */
  getPet(id: bigint): string | undefined | Promise<string | undefined>;

  /**
   * Resolves once the pet is on disk. Fails with `overloaded` when too many creates are waiting, and with
   * `idempotency_conflict` when the key was used for another pet.
   */
  createPet(pet: NewPet, idempotency?: Idempotency): Promise<CreatedPet>;

  /** Resolves once a real commit has proven that the store can be written. */
  checkWritable(): Promise<void>;
}

/** The pet as JSON, the same bytes from every store: an ETag must not depend on where the pet is kept. */
export function renderPet(id: bigint | string, fields: string): string {
  return `{"id":${id},${fields}`;
}

/** The pet's JSON after its id, which only the store knows. A store may hand over the digits of a number as text. */
export function renderFields({ name, categoryId, status }: RenderableFields): string {
  const statusField = status ? `,"status":"${status}"` : '';
  return `"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusField}}`;
}

interface RenderableFields {
  name: string;
  categoryId: bigint | string;
  status?: PetStatus | null;
}

/** Two creates are the same request if they describe the same pet, however they spell it. */
export function fingerprintOf({ name, categoryId, status }: NewPet): string {
  return hash('sha256', JSON.stringify([name, String(categoryId), status ?? null]), 'hex');
}

export function idempotencyConflict(): PetstoreError {
  return new PetstoreError(
    'idempotency_conflict',
    'This Idempotency-Key was used for another pet. Send a new key for a new pet.',
  );
}

export function isPetStatus(value: unknown): value is PetStatus {
  return (petStatuses as readonly unknown[]).includes(value);
}

/** What is wrong with a pet: one sentence for each field that has a problem. */
export type PetProblems = Partial<Record<keyof NewPet, string>>;

/** A pet that cannot be added. The message lists every problem. */
export class InvalidPetError extends PetstoreError {
  readonly problems: PetProblems;

  constructor(problems: PetProblems, message = Object.values(problems).join(' ')) {
    super('invalid_pet', message);
    this.problems = problems;
  }
}

/** Reads a pet from parsed JSON, or throws an {@link InvalidPetError} with every problem. */
export function parseNewPet(body: unknown): NewPet {
  if (!isJsonObject(body)) {
    throw new InvalidPetError({}, 'The body must be a JSON object with the fields name and categoryId.');
  }
  const name = fieldOf(body, 'name');
  const categoryId = fieldOf(body, 'categoryId');
  const status = fieldOf(body, 'status');
  const found = {
    name: name === undefined ? 'name is required.' : problemOf.name(name),
    categoryId: categoryId === undefined ? 'categoryId is required.' : problemOf.categoryId(categoryId),
    status: status === undefined ? undefined : problemOf.status(status),
  };
  const problems = Object.fromEntries(Object.entries(found).filter(([, problem]) => problem !== undefined));
  if (Object.keys(problems).length > 0) throw new InvalidPetError(problems);
  const pet: NewPet = { name: name as string, categoryId: toInt64(categoryId) as bigint };
  if (status !== undefined) pet.status = status as PetStatus;
  return pet;
}

/** Whether a value of parsed JSON is an object, and not an array or a number. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  );
}

export function fieldOf(body: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(body, name) ? body[name] : undefined;
}

/** What is wrong with the value of a field, as a sentence; undefined when it is valid. The path precedes its name. */
export const problemOf = {
  name(value: unknown, path = ''): string | undefined {
    if (typeof value !== 'string') return `${path}name must be a string.`;
    const isStorable = value.isWellFormed() && !value.includes('\0');
    return isStorable ? undefined : `${path}name must be well-formed Unicode without U+0000.`;
  },

  categoryId(value: unknown, path = ''): string | undefined {
    const { smallest, largest } = int64Range;
    return toInt64(value) === undefined
      ? `${path}categoryId must be an integer from ${smallest} to ${largest}.`
      : undefined;
  },

  status(value: unknown, path = '', none = 'left out'): string | undefined {
    return isPetStatus(value)
      ? undefined
      : `${path}status must be one of ${petStatuses.join(', ')}, or ${none}.`;
  },
};

/** The page that these rows make. One row more than the page holds says that another page follows. */
export function pageOf<Row>(rows: readonly Row[], limit: number, render: (row: Row) => string): Page {
  const shown = rows.slice(0, limit).map(render);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { json: `[${shown.join(',')}]`, ...(last !== undefined && { next: idOf(last) }) };
}

/** The id in a rendered pet or order, whose first field it is. */
export function idOf(json: string): bigint {
  return BigInt(json.slice('{"id":'.length, json.indexOf(',')));
}
