import { editPage, withBody } from '../edit/edit.ts';
import type { MutantDefinition } from '../mutant.ts';
import { forList } from '../edit/pages.ts';

export const listMutants: readonly MutantDefinition[] = [
  {
    number: 23,
    name: 'list-in-object',
    description: 'A list is an object with the array in it, not a bare array.',
    wrap: editPage((pets) => ({ pets })),
  },
  {
    number: 24,
    name: 'list-descending',
    breaks: 'strict',
    description: 'A page has its pets in descending order of id.',
    wrap: editPage((pets) => pets.toReversed()),
  },
  {
    number: 25,
    name: 'list-repeats-first',
    description: 'The second pet of a page is the first one again.',
    wrap: editPage((pets) => {
      const [first, second, ...others] = pets;
      return second ? [first, first, ...others] : pets;
    }),
  },
  {
    number: 26,
    name: 'list-as-text',
    description: 'A list is sent as text/plain.',
    wrap: forList((fetch) => async (request) => {
      const response = await fetch(request);
      if (!response.ok || response.body === null) return response;
      return withBody(response, await response.text(), { contentType: 'text/plain' });
    }),
  },
  {
    number: 27,
    name: 'list-of-ids',
    description: 'A list has the ids of the pets, not the pets.',
    wrap: editPage((pets) => pets.map(({ id }) => id)),
  },
  {
    number: 28,
    name: 'list-ends-with-null',
    description: 'A page has null behind its last pet.',
    wrap: editPage((pets) => [...pets, null]),
  },
];
