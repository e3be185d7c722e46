import { editHeaders, forOperations, removeHeader } from './edit.ts';
import type { MutantDefinition } from './mutant.ts';

export const deprecationMutants: readonly MutantDefinition[] = [
  {
    number: 157,
    name: 'sunset-missing',
    breaks: 'strict',
    description: 'getPet has no Sunset.',
    wrap: removeHeader('Sunset'),
  },
  {
    number: 158,
    name: 'sunset-wrong',
    description: 'The Sunset of getPet names 12 May 2030 instead of 5 December 2030.',
    wrap: editHeaders((headers) => headers.set('Sunset', 'Sun, 12 May 2030 00:00:00 GMT')),
  },
  {
    number: 160,
    name: 'deprecation-not-on-errors',
    breaks: 'strict',
    description: 'The errors of getPet have neither Deprecation nor Sunset.',
    wrap: editHeaders((headers, { ok }) => {
      if (ok) return;
      headers.delete('Deprecation');
      headers.delete('Sunset');
    }),
  },
  {
    number: 161,
    name: 'deprecation-link-missing',
    breaks: 'strict',
    description: 'getPet has no Link to its replacement.',
    wrap: removeHeader('Link'),
  },
  {
    number: 210,
    name: 'deprecation-everywhere',
    operation: 'all',
    description: 'The Sunset of getPet is also on listPets and createPet, which are not deprecated.',
    wrap: forOperations(
      ['listPets', 'createPet'],
      editHeaders((headers) => headers.set('Sunset', 'Thu, 05 Dec 2030 00:00:00 GMT')),
    ),
  },
];
