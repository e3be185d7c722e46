import { PetstoreClientError, refuseProblems } from './error.ts';
import { renderPetFields } from './exact-json.ts';
import { problemsOf, type PetFields } from './pet.ts';

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
    throw new PetstoreClientError('invalid_pet', 'An update needs a name, a categoryId or a status.');
  }
  refuseProblems(problemsOf({ ...changes, status: changes.status ?? undefined }));
  if (expected === undefined) return `{${fields}}`;
  const seen = renderExpected(expected);
  // A field that is undefined by mistake would otherwise turn the precondition off without a word.
  if (seen === '') {
    throw new PetstoreClientError('invalid_pet', 'expected needs a name, a categoryId or a status.');
  }
  return `{${fields},"expected":{${seen}}}`;
}

function renderExpected(expected: PetFields): string {
  return renderPetFields('status' in expected ? { ...expected, status: expected.status ?? null } : expected);
}
