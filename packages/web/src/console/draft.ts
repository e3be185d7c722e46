import {
  isPetStatus,
  problemsOf,
  type NewPet,
  type Pet,
  type PetFields,
  type PetStatus,
} from '../../../client/src/index.ts';
import { isInteger } from './categories/category-names.ts';

/** What the person has typed. An empty status means none. A category is a number, or the name of one while it is typed. */
export type Draft = Record<keyof NewPet, string>;

/** Text that was typed into a form but not saved. */
export interface Typed {
  /** The values before somebody typed. */
  base: Draft;
  draft: Draft;
  /** Set once it was sent. */
  idempotencyKey?: string | undefined;
}

export type DraftErrors = { [Field in keyof Draft]?: string | undefined };

export const emptyDraft: Draft = { name: '', categoryId: '', status: 'available' };

export const labels: Draft = { name: 'Name', categoryId: 'Category', status: 'Status' };

export const petFields = Object.keys(labels) as (keyof Draft)[];

/** What a person types; the status is chosen. */
export const inputs: readonly (keyof Draft)[] = ['name', 'categoryId'];

/** The pet that the draft describes, and what is wrong with each field. The pet is good only without errors. */
export function readDraft(draft: Draft): { pet: NewPet; errors: DraftErrors } {
  const { categoryId, status } = draft;
  // Nobody can see a space at the end.
  const name = draft.name.trim();
  const isNumber = isInteger(categoryId);
  const pet: NewPet = {
    name,
    categoryId: isNumber ? BigInt(categoryId) : 0n,
    ...(isPetStatus(status) && { status }),
  };
  const problems = Object.entries(problemsOf(pet)) as [keyof Draft, string][];
  const errors: DraftErrors = Object.fromEntries(
    problems.map(([field, problem]) => [field, `${labels[field]} ${problem}.`]),
  );
  if (name === '') errors.name = 'Enter a name.';
  if (!isNumber)
    errors.categoryId =
      categoryId.trim() === '' ? 'Enter a name or a number.' : 'No category has this name yet.';
  return { pet, errors };
}

export function draftOf(pet: Pet): Draft {
  return Object.fromEntries(petFields.map((field) => [field, pet[field]?.toString() ?? ''])) as Draft;
}

/** The pet that a draft was made from. */
export function petOf(id: bigint, base: Draft): Pet {
  return { ...readDraft(base).pet, id, name: base.name } as Pet;
}

/** The same text, typed into the form of the pet as it is now. */
export function rebased({ base, draft }: Typed, pet: Pet): Typed {
  const now = draftOf(pet);
  const typed = petFields.filter((field) => draft[field] !== base[field]);
  return { base: now, draft: { ...now, ...Object.fromEntries(typed.map((field) => [field, draft[field]])) } };
}

/** The fields in which the draft differs from the pet, and what is wrong with them. */
export function readChanges(pet: Pet, draft: Draft): { fields: PetFields; errors: DraftErrors } {
  const { pet: wanted, errors: found } = readDraft(draft);
  const before = draftOf(pet);
  const typed = petFields.filter((field) => draft[field] !== before[field]);
  const changed = typed.filter((field) => wanted[field] !== pet[field]);
  const wrong = typed.filter((field) => found[field] !== undefined);
  return {
    fields: Object.fromEntries(changed.map((field) => [field, wanted[field] ?? null])),
    errors: Object.fromEntries(wrong.map((field) => [field, found[field]])),
  };
}

export function labelOf(status: PetStatus | undefined): string {
  return status === undefined ? 'No status' : status.charAt(0).toUpperCase() + status.slice(1);
}
