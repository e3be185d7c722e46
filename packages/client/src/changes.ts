import { isNotFound, PetstoreClientError, refuseProblems, withMessage } from './error.ts';
import type { ChangePetOptions, PutCategoryOptions } from './options.ts';
import { optionalFields, problemsOf, renderPetFields, type PetFields } from './pet.ts';
import { unexpectedResponse, type Call, type Send } from './wire/send.ts';

/** The new values of a pet's fields. A field that is left out keeps its value; `status: null` removes the status. */
export interface PetChanges extends PetFields {
  /**
   * The values that you saw: if the pet no longer has them, the update changes nothing and fails with
   * `precondition_failed`, so two people cannot overwrite each other's work. A `status` of `null` or `undefined` means
   * that the pet has none, so `{ status: pet.status }` is right for every pet. At least one field is required.
   */
  expected?: PetFields | undefined;
}

/** The body of an update. Refuses changes that the service would refuse, before they are sent. */
export function renderChanges({ expected, ...changes }: PetChanges): string {
  const fields = renderPetFields(changes);
  if (fields === '') throw new PetstoreClientError('invalid_pet', 'An update needs at least one field.');
  refuseProblems(problemsOf(changes));
  if (expected === undefined) return `{${fields}}`;
  const condition = renderExpected(expected);
  // A field that is undefined by mistake would otherwise silently disable the precondition.
  if (condition === '') throw new PetstoreClientError('invalid_pet', 'expected needs at least one field.');
  return `{${fields},"expected":{${condition}}}`;
}

function renderExpected(expected: PetFields): string {
  const fields = { ...expected };
  for (const field of optionalFields) if (field in fields) fields[field] ??= null;
  return renderPetFields(fields);
}

export function preconditions({ ifMatch, ifNoneMatch }: PutCategoryOptions): Record<string, string> {
  // An empty header might count as none, and the precondition would be lost.
  if (ifMatch === '' || ifNoneMatch === '')
    throw new TypeError('ifMatch and ifNoneMatch must be an ETag, such as \'"3f2a"\', or "*".');
  return {
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
  };
}

/** For `onUncertain`: a second attempt could undo a later change, or mistake the first for somebody else's. */
export function refuseRetry(thing: 'pet' | 'category') {
  return (error: PetstoreClientError): never => {
    const hint = `The ${thing} may have changed nevertheless; read it before you try again.`;
    throw withMessage(error, `${error.message} ${hint}`);
  };
}

/** Sends a delete. A 404 counts as success if an earlier attempt may have arrived. */
export async function remove(
  send: Send,
  call: Pick<Call, 'operation' | 'url'>,
  { ifMatch, signal }: ChangePetOptions = {},
): Promise<void> {
  let mayBeDone = false;
  let isGone = false;
  try {
    const response = await send({
      ...call,
      method: 'DELETE',
      headers: preconditions({ ifMatch }),
      signal,
      onUncertain() {
        mayBeDone = true;
      },
      // Not called if the service lacks the operation, although that is a 404, too.
      explain(error) {
        isGone = isNotFound(error);
        return error;
      },
    });
    if (response.status !== 204) unexpectedResponse(response);
  } catch (error) {
    if (!(mayBeDone && isGone)) throw error;
  }
}
