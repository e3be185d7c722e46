import { editHeaders, forOperations, removeHeader } from './edit/edit.ts';
import type { Mutant } from './mutant.ts';

export const deprecationMutants: readonly Mutant[] = [
  {
    number: 157,
    name: 'sunset-missing',
    breaks: 'strict',
    description: 'getPet has no Sunset.',
    wrap: forOperations(['getPet'], removeHeader('Sunset')),
  },
  {
    number: 158,
    name: 'sunset-wrong',
    breaks: 'contract',
    description: 'The Sunset of getPet names 12 May 2030 instead of 5 December 2030.',
    wrap: forOperations(
      ['getPet'],
      editHeaders((headers) => headers.set('Sunset', 'Sun, 12 May 2030 00:00:00 GMT')),
    ),
  },
  {
    number: 159,
    name: 'deprecation-missing',
    breaks: 'strict',
    description: 'getPet has no Deprecation.',
    wrap: forOperations(['getPet'], removeHeader('Deprecation')),
  },
  {
    number: 160,
    name: 'deprecation-not-on-errors',
    breaks: 'strict',
    description: 'The errors of getPet have neither Deprecation nor Sunset.',
    wrap: forOperations(
      ['getPet'],
      editHeaders((headers, { ok }) => {
        if (ok) return;
        headers.delete('Deprecation');
        headers.delete('Sunset');
      }),
    ),
  },
  {
    number: 161,
    name: 'deprecation-link-missing',
    breaks: 'strict',
    description: 'getPet has no Link to its replacement.',
    wrap: forOperations(['getPet'], removeHeader('Link')),
  },
  {
    number: 162,
    name: 'deprecation-of-list',
    breaks: 'contract',
    description: 'listPets announces its removal, although it is not deprecated.',
    wrap: forOperations(
      ['listPets'],
      editHeaders((headers) => {
        headers.set('Deprecation', '@1794614400');
        headers.set('Sunset', 'Thu, 05 Dec 2030 00:00:00 GMT');
      }),
    ),
  },
];
