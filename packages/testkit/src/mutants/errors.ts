import { editErrors, editResponse, operationOf, refuseAs, withBody } from './edit/edit.ts';
import { without } from './edit/exact-json.ts';
import type { Mutant, Wrap } from './mutant.ts';

export const errorMutants: readonly Mutant[] = [
  {
    number: 135,
    name: 'error-without-code',
    breaks: 'contract',
    description: 'Errors have no code.',
    wrap: editErrors((error) => without(error, 'code')),
  },
  {
    number: 136,
    name: 'error-without-message',
    breaks: 'contract',
    description: 'Errors have no message.',
    wrap: editErrors((error) => without(error, 'message')),
  },
  {
    number: 137,
    name: 'error-without-status',
    breaks: 'contract',
    description: 'Errors have no status.',
    wrap: editErrors((error) => without(error, 'status')),
  },
  {
    number: 138,
    name: 'error-status-text',
    breaks: 'contract',
    description: 'The status of an error is a string.',
    wrap: editErrors((error) => ({ ...error, status: String(error['status']) })),
  },
  {
    number: 139,
    name: 'error-status-differs',
    breaks: 'contract',
    description: 'The status of an error is 500, whatever the HTTP status is.',
    wrap: editErrors((error) => ({ ...error, status: 500 })),
  },
  {
    number: 140,
    name: 'error-code-number',
    breaks: 'contract',
    description: 'The code of an error is a number.',
    wrap: editErrors((error) => ({ ...error, code: error['status'] })),
  },
  {
    number: 141,
    name: 'error-message-list',
    breaks: 'contract',
    description: 'The message of an error is an array.',
    wrap: editErrors((error) => ({ ...error, message: [error['message']] })),
  },
  {
    number: 142,
    name: 'error-message-null',
    breaks: 'contract',
    description: 'The message of an error is null.',
    wrap: editErrors((error) => ({ ...error, message: null })),
  },
  {
    number: 143,
    name: 'error-in-object',
    breaks: 'contract',
    description: 'The three fields of an error are in an object named error.',
    wrap: editErrors((error) => ({ error })),
  },
  {
    number: 144,
    name: 'error-as-text',
    breaks: 'contract',
    description: 'Errors are sent as text/plain.',
    wrap: onError(async (response) =>
      withBody(response, await response.text(), { contentType: 'text/plain;charset=utf-8' }),
    ),
  },
  {
    number: 145,
    name: 'error-as-problem',
    breaks: 'contract',
    description: 'Errors are sent as application/problem+json.',
    wrap: onError(async (response) =>
      withBody(response, await response.text(), { contentType: 'application/problem+json' }),
    ),
  },
  {
    number: 146,
    name: 'error-200',
    breaks: 'contract',
    description: 'Errors have the HTTP status 200.',
    wrap: onError(async (response) => withBody(response, await response.text(), { status: 200 })),
  },
  {
    number: 147,
    name: 'error-400-without-code',
    breaks: 'contract',
    description: 'A 400 has no code; other errors have one.',
    wrap: editErrors((error) => without(error, 'code'), [400]),
  },
  {
    number: 148,
    name: 'error-401-without-status',
    breaks: 'contract',
    description: 'A 401 has no status; other errors have one.',
    wrap: editErrors((error) => without(error, 'status'), [401]),
  },
  {
    number: 149,
    name: 'error-404-without-message',
    breaks: 'contract',
    description: 'A 404 has no message; other errors have one.',
    wrap: editErrors((error) => without(error, 'message'), [404]),
  },
  {
    number: 150,
    name: 'error-404-as-html',
    breaks: 'contract',
    description: 'A 404 is an HTML page.',
    wrap: onError((response) =>
      response.status === 404
        ? withBody(response, '<h1>Not found</h1>', { contentType: 'text/html' })
        : response,
    ),
  },
  {
    number: 151,
    name: 'invalid-pet-422',
    breaks: 'contract',
    description: 'An invalid pet is 422 instead of 400.',
    wrap: onInvalidPet((response) => refuseAs(response, 422, 'invalid_pet')),
  },
  {
    number: 152,
    name: 'invalid-pet-500',
    breaks: 'contract',
    description: 'An invalid pet is 500 instead of 400.',
    wrap: onInvalidPet((response) => refuseAs(response, 500, 'internal')),
  },
  {
    number: 153,
    name: 'invalid-pet-without-body',
    breaks: 'contract',
    description: 'The 400 of an invalid pet has no body.',
    wrap: onInvalidPet((response) => withBody(response, null)),
  },
  {
    number: 154,
    name: 'error-extra-field',
    breaks: 'strict',
    description: 'Errors have a fourth field with a stack.',
    wrap: editErrors((error) => ({ ...error, stack: 'at listPets (pets.ts:30)' })),
  },
  {
    number: 155,
    name: 'error-code-same',
    breaks: 'strict',
    description: 'Every error has the same code.',
    wrap: editErrors((error) => ({ ...error, code: 'error' })),
  },
  {
    number: 156,
    name: 'error-first-problem-only',
    breaks: 'strict',
    description: 'The message of a 400 names the first problem only.',
    wrap: editErrors(
      (error) => ({ ...error, message: String(error['message']).replace(/(?<=\.) .*/s, '') }),
      [400],
    ),
  },
];

function onError(edit: (response: Response) => Response | Promise<Response>): Wrap {
  return editResponse((response) =>
    response.status >= 400 && response.body !== null ? edit(response) : response,
  );
}

function onInvalidPet(edit: (response: Response) => Response): Wrap {
  return editResponse((response, request) =>
    response.status === 400 && operationOf(request) === 'createPet' ? edit(response) : response,
  );
}
