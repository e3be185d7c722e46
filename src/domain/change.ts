import { hash } from 'node:crypto';
import { type Category, categoryNotFound, renderCategory } from './category.ts';
import { petNotFound, PetstoreError, storeDamaged } from './error.ts';
import {
  isReturn,
  type NewEvent,
  type NewOrder,
  orderFor,
  type OrderReturn,
  petEvent,
  previousValues,
} from './history.ts';
import { type NewPet, petFields, type PetFields, type PetUpdate, renderPet } from './pet.ts';
import {
  etagOf,
  preconditionFailed,
  type Preconditions,
  type UnmetPrecondition,
  unmetPrecondition,
} from './precondition.ts';

/** A write, as plain data that may pass between threads. */
export type Change = CreatePet | UpdatePet | DeletePet | PutCategory | DeleteCategory;

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

/** The store adds the time, in milliseconds since 1970. */
export type Timed<Kind extends Change> = Kind & { at: number };
export type TimedChange = Timed<Change>;

/** The pet or category that a change has left; for a delete, the one that it removed. */
export interface Applied {
  id: bigint;
  json: string;
  /** True for a first name, and for a create, unless an earlier one with its idempotency key made the pet. */
  isNew: boolean;
}

/** Why a change does nothing. It is a result, not an error, because an error would undo the rest of the batch. */
export type Refusal = 'missing' | 'changed' | UnmetPrecondition | 'conflict' | 'damaged';
export type Outcome = Applied | Refusal;

/** What a store has read under its lock. */
export interface Known {
  pet(id: bigint): CurrentPet | 'damaged' | undefined;
  category(id: bigint): Category | 'damaged' | undefined;
  /** Who used this key before the batch, unless that is too long ago. */
  holder(idempotency: Idempotency, at: number): IdempotencyHolder | undefined;
  newId(create: Timed<CreatePet>): bigint;
}

export interface CurrentPet {
  pet: NewPet;
  json: string;
}

/** What a store has to write, in this order. */
export interface Writes {
  /** A pet that the batch creates and deletes is in both sets: it has to be inserted, so that its id is used up. */
  inserted: Map<bigint, CurrentPet>;
  changed: Map<bigint, CurrentPet>;
  deleted: Set<bigint>;
  /** Undefined for one that is deleted. */
  categories: Map<bigint, Category | undefined>;
  keys: Map<string, IdempotencyRecord>;
  /** By pet, for its open orders from before the batch. */
  returns: Map<bigint, OrderReturn>;
  orders: NewOrder[];
  events: NewEvent[];
}

/** Decides a whole batch in memory, one change after another. A store reads, lets this decide, and writes. */
export function decideBatch(
  changes: readonly TimedChange[],
  known: Known,
): { outcomes: Outcome[]; writes: Writes } {
  const writes: Writes = {
    inserted: new Map(),
    changed: new Map(),
    deleted: new Set(),
    categories: new Map(),
    keys: new Map(),
    returns: new Map(),
    orders: [],
    events: [],
  };
  return { outcomes: changes.map((change) => decide(change, known, writes)), writes };
}

function decide(change: TimedChange, known: Known, writes: Writes): Outcome {
  switch (change.kind) {
    case 'create-pet':
      return createPet(change, known, writes);
    case 'update-pet':
      return updatePet(change, known, writes);
    case 'delete-pet':
      return deletePet(change, known, writes);
    case 'put-category':
    case 'delete-category':
      return changeCategory(change, known, writes);
  }
}

function createPet(change: Timed<CreatePet>, known: Known, writes: Writes): Outcome {
  const { pet, idempotency, at } = change;
  const key = idempotency && keyOf(idempotency);
  const holder = key && (writes.keys.get(key) ?? known.holder(idempotency, at));
  if (holder) {
    if (holder.requestHash !== idempotency.requestHash) return 'conflict';
    // Rendered from the request: equal hashes mean equal fields. The pet itself may have changed.
    return { id: holder.petId, json: renderPet(holder.petId, pet), isNew: false };
  }
  const id = known.newId(change);
  const json = renderPet(id, pet);
  writes.inserted.set(id, { pet, json });
  if (key) writes.keys.set(key, { ...idempotency, petId: id, createdAt: new Date(at) });
  const order = orderFor(id, undefined, pet, change);
  if (order) writes.orders.push(order);
  writes.events.push(petEvent('pet.created', { id, json }, change));
  return { id, json, isNew: true };
}

function updatePet(change: Timed<UpdatePet>, known: Known, writes: Writes): Outcome {
  const { id, changes, expected } = change;
  const current = findPet(change, known, writes);
  if (typeof current === 'string') return current;
  if (expected && !hasFields(current.pet, expected)) return 'changed';
  const pet = withFields(current.pet, changes);
  const json = renderPet(id, pet);
  const previous = previousValues(current.pet, pet);
  // An update that changes nothing writes nothing.
  if (previous === undefined) return { id, json, isNew: false };
  (writes.inserted.has(id) ? writes.inserted : writes.changed).set(id, { pet, json });
  if (isReturn(current.pet, pet)) returnOrders(change, writes);
  const order = orderFor(id, current.pet, pet, change);
  if (order) writes.orders.push(order);
  writes.events.push({ ...petEvent('pet.updated', { id, json }, change), previous });
  return { id, json, isNew: false };
}

function deletePet(change: Timed<DeletePet>, known: Known, writes: Writes): Outcome {
  const { id } = change;
  const current = findPet(change, known, writes);
  if (typeof current === 'string') return current;
  const { json } = current;
  writes.changed.delete(id);
  writes.deleted.add(id);
  writes.events.push(petEvent('pet.deleted', { id, json }, change));
  return { id, json, isNew: false };
}

/** The pet as the changes before this one have left it. */
function findPet({ id, preconditions }: ChangeTarget, known: Known, writes: Writes): CurrentPet | Refusal {
  const { inserted, changed, deleted } = writes;
  if (deleted.has(id)) return 'missing';
  const current = changed.get(id) ?? inserted.get(id) ?? known.pet(id) ?? 'missing';
  if (typeof current === 'string') return current;
  // Few changes have preconditions, and a hash takes time.
  return (preconditions && unmetPrecondition(preconditions, etagOf(current.json))) ?? current;
}

function changeCategory(
  change: Timed<PutCategory | DeleteCategory>,
  known: Known,
  { categories, events }: Writes,
): Outcome {
  const { id, preconditions, at: createdAt, by: createdBy } = change;
  const before = categories.has(id) ? categories.get(id) : known.category(id);
  if (before === 'damaged') return before;
  const isPut = change.kind === 'put-category';
  // A delete shows the last state.
  const category = isPut ? { id, name: change.name } : before;
  if (!category) return 'missing';
  const unmet = preconditions && unmetPrecondition(preconditions, before && etagOf(renderCategory(before)));
  if (unmet) return unmet;
  const json = renderCategory(category);
  // An equal name changes nothing.
  if (!isPut || before?.name !== category.name) {
    categories.set(id, isPut ? category : undefined);
    events.push({ type: isPut ? 'category.updated' : 'category.deleted', createdAt, createdBy, json });
  }
  return { id, json, isNew: !before };
}

function returnOrders({ id, at, by }: Timed<UpdatePet>, { returns, orders }: Writes): void {
  const orderReturn = { returnedAt: new Date(at), ...(by !== undefined && { returnedBy: by }) };
  // Later returns of the batch concern only orders of the batch.
  if (!returns.has(id)) returns.set(id, orderReturn);
  for (const order of orders) if (order.petId === id && !order.returnedAt) Object.assign(order, orderReturn);
}

/** Whether a pet has these values. */
export function hasFields(pet: NewPet, fields: PetFields): boolean {
  return petFields.every(({ name }) => fields[name] === undefined || fields[name] === (pet[name] ?? null));
}

/** The pet with these values instead of its own. */
export function withFields(pet: NewPet, changes: PetFields): NewPet {
  const changed = { ...pet, ...changes };
  for (const { name } of petFields) if (changed[name] === null) delete changed[name];
  return changed as NewPet;
}

/** The error for the caller. */
export function refusalError(refusal: Refusal, { kind }: Change): PetstoreError {
  if (refusal === 'missing') return kind === 'delete-category' ? categoryNotFound() : petNotFound();
  if (refusal === 'damaged') return storeDamaged();
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

/** Two creates are the same request if they describe equal pets, however the JSON is written. */
export function fingerprintOf(pet: NewPet): string {
  const values = petFields.map(({ name }) => pet[name]?.toString() ?? null);
  // Ignore absent fields added after the first three, so a create retried across an upgrade keeps its fingerprint.
  const count = Math.max(3, values.findLastIndex((value) => value !== null) + 1);
  return hash('sha256', JSON.stringify(values.slice(0, count)), 'hex');
}

/** The pet that an idempotency key created. */
export interface IdempotencyRecord extends Idempotency {
  petId: bigint;
  createdAt: Date;
}

export type IdempotencyHolder = Pick<IdempotencyRecord, 'petId' | 'requestHash'>;
