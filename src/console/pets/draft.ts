import { isPetStatus, problemsOf, type NewPet } from '../../client/index.ts';

/** What the person has typed. An empty status means none. */
export type Draft = Record<keyof NewPet, string>;

export type DraftErrors = { [Field in keyof Draft]?: string | undefined };

export const emptyDraft: Draft = { name: '', categoryId: '', status: 'available' };

export const labels: Draft = { name: 'Name', categoryId: 'Category number', status: 'Status' };

/** The pet that the draft describes, and what is wrong with each field. The pet is good only without errors. */
export function readDraft({ name, categoryId, status }: Draft): { pet: NewPet; errors: DraftErrors } {
  const isInteger = /^\s*[+-]?\d+\s*$/.test(categoryId);
  const pet: NewPet = {
    name,
    categoryId: isInteger ? BigInt(categoryId) : 0n,
    ...(isPetStatus(status) && { status }),
  };
  const problems = Object.entries(problemsOf(pet)) as [keyof Draft, string][];
  const errors: DraftErrors = Object.fromEntries(
    problems.map(([field, problem]) => [field, `${labels[field]} ${problem}.`]),
  );
  if (name.trim() === '') errors.name = 'Enter a name.';
  if (!isInteger) errors.categoryId = 'Enter a whole number, such as 7.';
  return { pet, errors };
}
