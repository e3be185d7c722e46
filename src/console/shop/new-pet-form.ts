import { isPetStatus, type NewPet } from '../../client/index.ts';

/** What the person has typed. */
export interface Draft {
  name: string;
  category: string;
  /** Empty when the pet has no status. */
  status: string;
}

export type FieldErrors = Partial<Record<keyof Draft, string>>;

export const emptyDraft: Draft = { name: '', category: '', status: 'available' };

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

/** The pet that the draft describes, or what is wrong beside each field. */
export function readDraft(draft: Draft): { pet: NewPet } | { errors: FieldErrors } {
  const errors: FieldErrors = {};
  if (draft.name.trim() === '') errors.name = 'Give the pet a name.';
  const digits = draft.category.trim();
  const categoryId = /^[+-]?\d+$/.test(digits) ? BigInt(digits.replace(/^\+/, '')) : undefined;
  if (digits === '') errors.category = 'Type the number of the category, such as 7.';
  else if (categoryId === undefined)
    errors.category = 'Only digits: a category is a whole number, such as 7.';
  else if (categoryId < smallest || categoryId > largest)
    errors.category = `This number is too large. It can be from ${smallest} to ${largest}.`;
  if (Object.keys(errors).length > 0 || categoryId === undefined) return { errors };
  return {
    pet: { name: draft.name, categoryId, ...(isPetStatus(draft.status) && { status: draft.status }) },
  };
}

/** Puts the sentences of the service's message beside the fields that they name. */
export function errorsOfMessage(message: string): FieldErrors {
  const fields = { name: 'name', categoryId: 'category', status: 'status' } as const;
  const errors: FieldErrors = {};
  for (const [, sentence = '', field = ''] of message.matchAll(/((name|categoryId|status)\b[^.]*\.)/g)) {
    errors[fields[field as keyof typeof fields]] = sentence;
  }
  return Object.keys(errors).length > 0 ? errors : { name: message };
}
