import { PetstoreClientError, refuseProblems } from './error.ts';
import { renderPetFields } from './wire/exact-json.ts';
import { optionalFields, petFields, problemsOf, type PetFields } from './pet.ts';

/** The new values of a pet's fields. A field that is left out keeps its value; `status: null` removes the status. */
export interface PetChanges extends PetFields {
  /**
   * What you saw: unless the pet still has these values, the update changes nothing and fails with
   * `precondition_failed`. It keeps two people from overwriting each other's work. Here both `null` and `undefined`
   * as `status` mean that the pet has none, so `{ status: pet.status }` is right for every pet. At least one field is
   * needed.
   */
  expected?: PetFields | undefined;
}

/** The body of an update. Changes that the service would refuse are refused here, before they are sent. */
export function renderChanges({ expected, ...changes }: PetChanges): string {
  const fields = renderPetFields(changes);
  if (fields === '') {
    throw new PetstoreClientError('invalid_pet', `An update needs ${anyField}.`);
  }
  const given = Object.entries(changes).filter(([, value]) => value !== null);
  refuseProblems(problemsOf(Object.fromEntries(given)));
  if (expected === undefined) return `{${fields}}`;
  const seen = renderExpected(expected);
  // A field that is undefined by mistake would otherwise turn the precondition off without a word.
  if (seen === '') {
    throw new PetstoreClientError('invalid_pet', `expected needs ${anyField}.`);
  }
  return `{${fields},"expected":{${seen}}}`;
}

function renderExpected(expected: PetFields): string {
  const seen = { ...expected };
  for (const field of optionalFields) if (field in seen) seen[field] ??= null;
  return renderPetFields(seen);
}

const anyField = petFields
  .map((field) => `a ${field}`)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ');
