import { editErrors, editResponse, parseObject, refuseAs, withBody, without } from './edit.ts';
import type { MutantDefinition, Wrap } from './mutant.ts';

const fields = ['code', 'message', 'status'];

export const errorMutants: readonly MutantDefinition[] = [
  ...fields.map((field, index): MutantDefinition => ({
    number: 135 + index,
    name: `error-without-${field}`,
    description: `Errors have no ${field}.`,
    wrap: editErrors((error) => without(error, field)),
  })),
  {
    number: 138,
    name: 'error-status-text',
    description: 'The status of an error is a string.',
    wrap: editErrors((error) => ({ ...error, status: String(error['status']) })),
  },
  {
    number: 139,
    name: 'error-status-differs',
    description: 'The status of an error is 500, whatever the HTTP status is.',
    wrap: editErrors((error) => ({ ...error, status: 500 })),
  },
  {
    number: 143,
    name: 'error-in-object',
    description: 'The three fields of an error are in an object named error.',
    wrap: editErrors((error) => ({ error })),
  },
  {
    number: 144,
    name: 'error-as-text',
    description: 'Errors are sent as text/plain.',
    wrap: onError(async (response) =>
      withBody(response, await response.text(), { contentType: 'text/plain;charset=utf-8' }),
    ),
  },
  {
    number: 146,
    name: 'error-200',
    description: 'Errors have the HTTP status 200.',
    wrap: onError(async (response) => withBody(response, await response.text(), { status: 200 })),
  },
  {
    number: 150,
    name: 'error-404-as-html',
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
    operation: 'createPet',
    description: 'An invalid pet is 422 instead of 400.',
    wrap: editResponse((response) =>
      response.status === 400 ? refuseAs(response, 422, 'invalid_pet') : response,
    ),
  },
  {
    number: 206,
    name: 'invalid-json-500',
    description: 'A body that is not JSON, such as an empty one, is 500 instead of 400.',
    wrap: onError(async (response) => {
      const text = await response.text();
      const isParserError = parseObject(text)?.['code'] === 'invalid_json';
      return isParserError ? refuseAs(response, 500, 'internal') : withBody(response, text);
    }),
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
