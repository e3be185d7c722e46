import {
  fieldOf,
  InvalidPetError,
  isJsonObject,
  parseFields,
  petFields,
  type JsonObject,
  type NewPet,
  type PetFields,
  type PetProblems,
} from './pet.ts';

export interface PetUpdate {
  changes: PetFields;
  /** What the caller has seen: if the pet differs, nothing changes. */
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

/** The path precedes the name of a field. */
function parseSome(body: JsonObject, where: string, path: string, problems: string[]): PetFields {
  const found: PetProblems = {};
  const fields = parseFields(body, found, true);
  problems.push(...Object.values(found).map((problem) => path + problem));
  // A typo in the only field would otherwise change nothing, or expect nothing, without a word.
  if (Object.keys({ ...fields, ...found }).length === 0)
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
