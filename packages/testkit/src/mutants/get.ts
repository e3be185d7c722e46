import { editRequest, editResponse, editSuccess, refuseAs, withBody, withUrl } from './edit.ts';
import type { MutantDefinition, Wrap } from './mutant.ts';

const canonicalId = /^-?\d{1,19}$/;

export const getMutants: readonly MutantDefinition[] = [
  {
    number: 102,
    name: 'get-unknown-null',
    description: 'An unknown pet is 200 with null.',
    wrap: onNotFound((response) => withBody(response, 'null', { status: 200 })),
  },
  {
    number: 104,
    name: 'get-unknown-400',
    description: 'An unknown pet is 400.',
    wrap: onNotFound((response) => refuseAs(response, 400)),
  },
  {
    number: 106,
    name: 'get-text-id-500',
    description: 'An id that is not a number is 500.',
    wrap: onNotFound((response, id) => (canonicalId.test(id) ? response : refuseAs(response, 500))),
  },
  {
    number: 107,
    name: 'get-text-id-400',
    breaks: 'strict',
    description: 'An id that is not a number is 400 instead of 404.',
    wrap: onNotFound((response, id) => (canonicalId.test(id) ? response : refuseAs(response, 400))),
  },
  {
    number: 108,
    name: 'get-in-array',
    description: 'A pet is returned in an array.',
    wrap: editSuccess(['getPet'], (pet) => [pet]),
  },
  {
    number: 109,
    name: 'get-next-pet',
    description: 'The pet with the next id is returned.',
    wrap: editId((id) => (canonicalId.test(id) ? String(BigInt(id) + 1n) : id)),
  },
  {
    number: 110,
    name: 'get-id-32-bits',
    description: 'Only the lower 32 bits of an id count, so an unknown id finds a pet.',
    wrap: editId((id) => (canonicalId.test(id) ? String(BigInt.asIntN(32, BigInt(id))) : id)),
  },
  {
    number: 111,
    name: 'get-id-prefix',
    description: 'An id is read up to its first letter, so 7abc finds pet 7.',
    wrap: editId((id) => id.replace(/^(\d+)\D.*$/, '$1')),
  },
  {
    number: 112,
    name: 'get-id-leading-zero',
    breaks: 'strict',
    description: 'An id may have leading zeros, so 007 finds pet 7.',
    wrap: editId((id) => id.replace(/^0+(?=\d)/, '')),
  },
  {
    number: 113,
    name: 'get-gone',
    description: 'getPet is already gone: every pet is 410.',
    wrap: editResponse((response) => (response.ok ? refuseAs(response, 410) : response)),
  },
];

function onNotFound(edit: (response: Response, id: string) => Response | Promise<Response>): Wrap {
  return editResponse((response, { url }) =>
    response.status === 404 ? edit(response, idOf(url)) : response,
  );
}

function editId(edit: (id: string) => string): Wrap {
  return editRequest((request) =>
    withUrl(request, (url) => (url.pathname = `/v1/pets/${edit(idOf(request.url))}`)),
  );
}

function idOf(url: string): string {
  return new URL(url).pathname.split('/').at(-1) ?? '';
}
