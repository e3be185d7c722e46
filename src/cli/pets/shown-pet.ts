import type { Pet } from '../../../packages/client/src/index.ts';
import { petLine } from '../../formats/record.ts';
import type { Shown } from '../service/print.ts';

export const shownPet: Shown<Pet> = {
  plural: 'pets',
  headings: ['ID', 'NAME', 'CATEGORY', 'STATUS'],
  cellsOf: ({ id, name, categoryId, status }) => [`${id}`, name, `${categoryId}`, status ?? '-'],
  jsonOf: petLine,
};
