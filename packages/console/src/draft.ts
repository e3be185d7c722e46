import { isPetStatus, problemsOf, type NewPet, type Pet, type PetFields } from '../../client/src/index.ts';

/** What the person has typed. An empty status means none. */
export type Draft = Record<keyof NewPet, string>;

export type DraftErrors = { [Field in keyof Draft]?: string | undefined };

export const emptyDraft: Draft = { name: '', categoryId: '', status: 'available' };

export const labels: Draft = { name: 'Name', categoryId: 'Category number', status: 'Status' };

/** Longer names are allowed but hardly meant. */
const longestUsualName = 200;

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

/** What to ask about a name before it is saved; undefined for usual names. */
export function questionAbout(name: string): string | undefined {
  const count = Array.from(name).length;
  if (count <= longestUsualName) return undefined;
  return `This name has ${count.toLocaleString('en')} characters. Is that right?`;
}

export function draftOf({ name, categoryId, status }: Pet): Draft {
  return { name, categoryId: categoryId.toString(), status: status ?? '' };
}

/** The fields that the draft gives other values than the pet has, and what is wrong with them. */
export function readChanges(pet: Pet, draft: Draft): { fields: PetFields; errors: DraftErrors } {
  const { pet: wanted, errors: found } = readDraft(draft);
  const fields: PetFields = {};
  const errors: DraftErrors = {};
  if (draft.name !== pet.name) {
    fields.name = wanted.name;
    if (found.name !== undefined) errors.name = found.name;
  }
  if (found.categoryId !== undefined) errors.categoryId = found.categoryId;
  else if (wanted.categoryId !== pet.categoryId) fields.categoryId = wanted.categoryId;
  return { fields, errors };
}
