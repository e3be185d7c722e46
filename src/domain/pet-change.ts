import { petNotFound, PetstoreError } from './error.ts';
import {
  fieldOf,
  InvalidPetError,
  isJsonObject,
  parseFields,
  petFields,
  type JsonObject,
  type PetProblems,
} from './fields.ts';
import { petEvent, previousValues, type NewEvent, type Origin } from './event.ts';
import { isReturn, orderFor, type NewOrder, type OrderReturn } from './order.ts';
import { renderFields, renderPet, type NewPet, type PetFields } from './pet.ts';

/** The pet's JSON whose tag the caller sent in `If-Match`. The change applies only to this version. */
export type SeenPet = string;

/**
 * The rules of a change. A store reads the pet under its lock, lets these functions decide, and writes the result. A
 * refusal is a result, not an error, because an error would roll back the other changes of the transaction.
 */
export interface CurrentPet {
  pet: NewPet;
  json: string;
}

export interface UpdateRequest extends PetUpdate, DeleteRequest {}

export interface DeleteRequest extends Origin {
  id: bigint;
  /** The version that the pet must still have. */
  seen: SeenPet | undefined;
}

/** Why nothing was changed. */
export type Refusal = 'missing' | 'changed';

/** The pet after the change, its event, and the effect on its orders: first the return, then the new order. */
export interface UpdatedPet extends CurrentPet {
  orderReturn: OrderReturn | undefined;
  order: NewOrder | undefined;
  event: NewEvent | undefined;
}

export function decideUpdate(current: CurrentPet | undefined, request: UpdateRequest): UpdatedPet | Refusal {
  const { id, changes, expected, seen, now, createdBy } = request;
  if (!current) return 'missing';
  const { pet: before, json } = current;
  if (seen !== undefined && seen !== json) return 'changed';
  if (expected && !hasFields(before, expected)) return 'changed';
  const pet = withFields(before, changes);
  const after = renderPet(id, renderFields(pet));
  const previous = previousValues(before, pet);
  return {
    pet,
    json: after,
    // An update that changes nothing is no event.
    event:
      previous === undefined
        ? undefined
        : { ...petEvent('pet.updated', { id, json: after }, request), previous },
    orderReturn: isReturn(before, pet)
      ? { returnedAt: new Date(now), ...(createdBy !== undefined && { returnedBy: createdBy }) }
      : undefined,
    order: orderFor(id, before, pet, { now, createdBy }),
  };
}

export function decideDelete(
  current: Pick<CurrentPet, 'json'> | undefined,
  request: DeleteRequest,
): { event: NewEvent } | Refusal {
  const { id, seen } = request;
  if (!current) return 'missing';
  if (seen !== undefined && seen !== current.json) return 'changed';
  return { event: petEvent('pet.deleted', { id, json: current.json }, request) };
}

/** The error for the caller. */
export function refusalError(refusal: Refusal): PetstoreError {
  if (refusal === 'missing') return petNotFound();
  return new PetstoreError(
    'precondition_failed',
    'The pet is not as you expected it. Get it again, then decide.',
  );
}

export interface PetUpdate {
  changes: PetFields;
  /** The values that the caller expects. The update is refused if any of them differ. */
  expected?: PetFields;
}

/** Reads an update from parsed JSON, or throws an {@link InvalidPetError} with every problem. */
export function parsePetUpdate(body: unknown): PetUpdate {
  if (!isJsonObject(body)) throw new InvalidPetError({}, 'The body must be a JSON object.');
  const problems: string[] = [];
  const update: PetUpdate = { changes: parseSome(body, 'The body', '', problems) };
  const expected = fieldOf(body, 'expected');
  if (isJsonObject(expected)) update.expected = parseSome(expected, 'expected', 'expected.', problems);
  else if (expected !== undefined) problems.push('expected must be a JSON object.');
  if (problems.length > 0) throw new InvalidPetError({}, problems.join(' '));
  return update;
}

const allNames = new Intl.ListFormat('en-GB').format(petFields.map(({ name }) => name));

/** `path` is the prefix of each field's name in a problem. */
function parseSome(body: JsonObject, where: string, path: string, problems: string[]): PetFields {
  const fieldProblems: PetProblems = {};
  const fields = parseFields(body, fieldProblems, true);
  problems.push(...Object.values(fieldProblems).map((problem) => path + problem));
  // A typo in the only field would otherwise be ignored silently.
  if (Object.keys({ ...fields, ...fieldProblems }).length === 0)
    problems.push(`${where} must have at least one of the fields ${allNames}.`);
  return fields;
}

/** Whether a pet has these values. */
export function hasFields(pet: NewPet, fields: PetFields): boolean {
  return petFields.every(({ name }) => fields[name] === undefined || fields[name] === (pet[name] ?? null));
}

/** The pet with these values instead of its own. */
export function withFields<Kind extends NewPet>(pet: Kind, changes: PetFields): Kind {
  const changed = { ...pet, ...changes };
  for (const { name } of petFields) if (changed[name] === null) delete changed[name];
  return changed;
}
