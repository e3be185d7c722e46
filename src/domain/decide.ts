import { type ApiKey, noteUse, revoke } from './api-key.ts';
import { type Category, renderCategory } from './category.ts';
import {
  type CategoryChange,
  type ChangeTarget,
  type CreateKey,
  type CreatePet,
  type DeletePet,
  type IdempotencyHolder,
  idempotencyIdOf,
  type NoteKeyUse,
  type Outcome,
  type Refusal,
  type RevokeKey,
  type Timed,
  type TimedChange,
  type UpdatePet,
} from './change.ts';
import {
  createCategoryEvent,
  createPetEvent,
  decideOrder,
  isReturn,
  type NewEvent,
  type Order,
  type OrderReturn,
  renderPreviousValues,
} from './history.ts';
import { type NewPet, petFields, type PetFields, renderPet } from './pet.ts';
import { etagOf, findUnmetPrecondition } from './precondition.ts';

/** What a store has read and drawn for a batch, under its locks. */
export interface BatchState {
  pets: ReadonlyMap<bigint, CurrentPet>;
  categories: ReadonlyMap<bigint, Category>;
  keys: ReadonlyMap<bigint, ApiKey>;
  /** By `idempotencyIdOf`, the create that holds each key of the batch: an earlier one, or the first of the batch. */
  holders: ReadonlyMap<string, IdempotencyHolder>;
  /** For the creates of pets and of keys; a create without one is refused, because all ids are used up. */
  newIds: ReadonlyMap<TimedChange, bigint>;
  /** At least one for each change that {@link mayOrder}, unless all ids are used up. */
  orderIds: readonly bigint[];
}

export interface CurrentPet {
  pet: NewPet;
  json: string;
}

/** What a batch does to the rows of a store, in this order. */
export interface Effects {
  /** A pet that the batch creates and deletes is in both sets: it has to be inserted, so that its id is used up. */
  createdPets: Map<bigint, CurrentPet>;
  changedPets: Map<bigint, CurrentPet>;
  deletedPets: Set<bigint>;
  /** Undefined for a deleted category. */
  categories: Map<bigint, Category | undefined>;
  /** By pet, for its open orders from before the batch. */
  returns: Map<bigint, OrderReturn>;
  orders: Order[];
  createdKeys: Map<bigint, ApiKey>;
  changedKeys: Map<bigint, ApiKey>;
  events: NewEvent[];
}

/** Decides a whole batch in memory, one change after another. A store reads, lets this decide, and saves the effects. */
export function decideBatch(
  changes: readonly TimedChange[],
  state: BatchState,
): { outcomes: Outcome[]; effects: Effects } {
  const effects: Effects = {
    createdPets: new Map(),
    changedPets: new Map(),
    deletedPets: new Set(),
    categories: new Map(),
    returns: new Map(),
    orders: [],
    createdKeys: new Map(),
    changedKeys: new Map(),
    events: [],
  };
  return { outcomes: changes.map((change) => decide(change, state, effects)), effects };
}

function decide(change: TimedChange, state: BatchState, effects: Effects): Outcome {
  switch (change.kind) {
    case 'create-pet':
      return createPet(change, state, effects);
    case 'update-pet':
      return updatePet(change, state, effects);
    case 'delete-pet':
      return deletePet(change, state, effects);
    case 'put-category':
    case 'delete-category':
      return changeCategory(change, state, effects);
    case 'create-key':
      return createKey(change, state, effects);
    case 'revoke-key':
    case 'note-key-use':
      return changeKey(change, state, effects);
  }
}

function createPet(change: Timed<CreatePet>, state: BatchState, effects: Effects): Outcome {
  const { pet, idempotency } = change;
  const id = state.newIds.get(change);
  const holder = idempotency && state.holders.get(idempotencyIdOf(idempotency));
  if (holder && holder.petId !== id) {
    if (holder.requestHash !== idempotency.requestHash) return 'conflict';
    // Rendered from the request: equal hashes mean equal fields. The pet itself may have changed.
    return { id: holder.petId, json: renderPet(holder.petId, pet), isNew: false };
  }
  const orderId = nextOrderId(state, effects);
  if (id === undefined) return 'ids-used-up';
  const order = decideOrder(id, undefined, pet, change);
  if (order && orderId === undefined) return 'ids-used-up';
  const json = renderPet(id, pet);
  effects.createdPets.set(id, { pet, json });
  if (order && orderId !== undefined) effects.orders.push({ id: orderId, ...order });
  effects.events.push(createPetEvent('pet.created', { id, json }, change));
  return { id, json, isNew: true };
}

function updatePet(change: Timed<UpdatePet>, state: BatchState, effects: Effects): Outcome {
  const { id, changes, expected } = change;
  const current = findPet(change, state, effects);
  if (typeof current === 'string') return current;
  if (expected && !hasFields(current.pet, expected)) return 'changed';
  const pet = withFields(current.pet, changes);
  const json = renderPet(id, pet);
  const previous = renderPreviousValues(current.pet, pet);
  // An update that changes nothing writes nothing.
  if (previous === undefined) return { id, json, isNew: false };
  const order = decideOrder(id, current.pet, pet, change);
  const orderId = nextOrderId(state, effects);
  if (order && orderId === undefined) return 'ids-used-up';
  const { createdPets, changedPets, orders, events } = effects;
  (createdPets.has(id) ? createdPets : changedPets).set(id, { pet, json });
  if (isReturn(current.pet, pet)) returnOrders(change, effects);
  if (order && orderId !== undefined) orders.push({ id: orderId, ...order });
  events.push(createPetEvent('pet.updated', { id, json }, change, previous));
  return { id, json, isNew: false };
}

function nextOrderId({ orderIds }: BatchState, { orders }: Effects): bigint | undefined {
  return orderIds[orders.length];
}

function deletePet(change: Timed<DeletePet>, state: BatchState, effects: Effects): Outcome {
  const { id } = change;
  const current = findPet(change, state, effects);
  if (typeof current === 'string') return current;
  const { json } = current;
  effects.changedPets.delete(id);
  effects.deletedPets.add(id);
  effects.events.push(createPetEvent('pet.deleted', { id, json }, change));
  return { id, json, isNew: false };
}

/** The pet after the earlier changes of the batch. */
function findPet(
  { id, preconditions }: ChangeTarget,
  state: BatchState,
  effects: Effects,
): CurrentPet | Refusal {
  const { createdPets, changedPets, deletedPets } = effects;
  if (deletedPets.has(id)) return 'missing';
  const current = changedPets.get(id) ?? createdPets.get(id) ?? state.pets.get(id);
  if (!current) return 'missing';
  // Few changes have preconditions, and a hash takes time.
  return (preconditions && findUnmetPrecondition(preconditions, etagOf(current.json))) ?? current;
}

function changeCategory(
  change: Timed<CategoryChange>,
  state: BatchState,
  { categories, events }: Effects,
): Outcome {
  const { id, preconditions } = change;
  const before = categories.has(id) ? categories.get(id) : state.categories.get(id);
  const isPut = change.kind === 'put-category';
  // A delete returns the last state.
  const category = isPut ? { id, name: change.name } : before;
  if (!category) return 'missing';
  const unmet =
    preconditions && findUnmetPrecondition(preconditions, before && etagOf(renderCategory(before)));
  if (unmet) return unmet;
  const json = renderCategory(category);
  // An equal name changes nothing.
  if (!isPut || before?.name !== category.name) {
    categories.set(id, isPut ? category : undefined);
    events.push(createCategoryEvent(isPut ? 'category.updated' : 'category.deleted', json, change));
  }
  return { id, json, isNew: !before };
}

function createKey(change: Timed<CreateKey>, state: BatchState, { createdKeys }: Effects): Outcome {
  const id = state.newIds.get(change);
  if (id === undefined) return 'ids-used-up';
  const key = { id: String(id), ...change.key };
  createdKeys.set(id, key);
  return key;
}

function changeKey(change: RevokeKey | NoteKeyUse, state: BatchState, { changedKeys }: Effects): Outcome {
  // Nobody knows the id of a key that is created in the same batch.
  const before = changedKeys.get(change.id) ?? state.keys.get(change.id);
  if (!before) return 'missing';
  const key =
    change.kind === 'revoke-key' ? revoke(before, change.revokedAt) : noteUse(before, change.usedAt);
  if (key !== before) changedKeys.set(change.id, key);
  return key;
}

function returnOrders({ id, at, by }: Timed<UpdatePet>, { returns, orders }: Effects): void {
  const orderReturn = { returnedAt: new Date(at), ...(by !== undefined && { returnedBy: by }) };
  // Later returns of the batch concern only orders of the batch.
  if (!returns.has(id)) returns.set(id, orderReturn);
  for (const order of orders) if (order.petId === id && !order.returnedAt) Object.assign(order, orderReturn);
}

/** Whether a pet has these values. */
function hasFields(pet: NewPet, fields: PetFields): boolean {
  return petFields.every(({ name }) => fields[name] === undefined || fields[name] === (pet[name] ?? null));
}

/** The pet with these values instead of its own. */
function withFields(pet: NewPet, changes: PetFields): NewPet {
  const changed = { ...pet, ...changes };
  for (const { name } of petFields) if (changed[name] === null) delete changed[name];
  return changed as NewPet;
}
