import type { NewPet, Pet, PetFields, PetStatus } from '../../../../client/src/index.ts';
import { isInteger, type CategoryNames } from '../categories/category-names.ts';
import { inputs, petFields, type Typed } from '../draft.ts';

/** Text about pets. Each is shown with its id and its shortened name, which keeps its own direction. */
export type Words = readonly (string | Pet)[];

/** The words for each status: that a pet has it, to set it, and that somebody else has set it. */
const told: Record<
  PetStatus | 'none',
  { state: string; command: string; deed: [before: string, after: string] }
> = {
  available: { state: 'is available', command: 'Make it available', deed: ['made ', ' available'] },
  pending: { state: 'is pending', command: 'Make it pending', deed: ['made ', ' pending'] },
  sold: { state: 'is sold', command: 'Sell it', deed: ['sold ', ''] },
  none: { state: 'has no status', command: 'Take its status away', deed: ['taken the status of ', ' away'] },
};

export function stateOf({ status }: Pet): string {
  return told[status ?? 'none'].state;
}

/** Says that a pet is now as the person wanted it. */
export function tellDone(seen: Pet, pet: Pet, wish: PetFields): Words {
  if (wish.status === undefined) return ['Saved ', pet, '.'];
  return [pet, isReturn(seen, wish) ? ' was returned and ' : ' ', `${stateOf(pet)}.`];
}

export function tellUndone(pet: Pet, wish: PetFields): Words {
  const state = wish.status === undefined ? 'is as it was before' : `${stateOf(pet)} again`;
  return ['Undone: ', pet, ` ${state}.`];
}

/** The message for a change that failed, or whose outcome is unknown. */
export function tellFailed({ seen, wish }: Wanted, mayBeDone = false): Words {
  if (!seen) return [isolatedName(wish.name), ' is not added yet.'];
  const deed =
    wish === 'remove'
      ? 'removed'
      : wish.status === 'sold'
        ? 'sold'
        : isReturn(seen, wish)
          ? 'returned'
          : 'changed';
  return [seen, mayBeDone ? ` may not have been ${deed}.` : ` was not ${deed}.`];
}

/** What another key has sent, whose response was lost. */
export function tellOthers({ seen, wish }: Wanted): Words {
  if (seen) return tellFailed({ seen, wish }, true);
  return [isolatedName(wish.name), ' may have been added with another key. Search for it first.'];
}

/** The label of a button that fulfils the wish despite the changes of others. */
export function anywayLabel(now: Pet, wish: Wish): string {
  if (wish === 'remove') return 'Remove it anyway';
  if (isReturn(now, wish)) return 'Return it anyway';
  return `${wish.status === undefined ? 'Save it' : told[wish.status ?? 'none'].command} anyway`;
}

/** Says what will become of a pet unless somebody takes it back. */
export function tellHeld(seen: Pet, wish: Wish): Words {
  return [seen, ` is about to be ${wish === 'remove' ? 'removed' : 'returned'}.`];
}

/** Says what others did to a pet since the person saw it, and what the person had typed. */
export function tellConflict(
  seen: Pet,
  now: Pet,
  wish: Wish,
  names: CategoryNames,
  other = 'Somebody else',
): Words {
  const deeds: Words[] = [];
  const subject = () => (deeds.length === 0 ? seen : 'it');
  if (now.status !== seen.status) {
    if (seen.status === 'sold') deeds.push(['returned ', seen]);
    const [before, after] = told[now.status ?? 'none'].deed;
    if (seen.status !== 'sold' || now.status !== 'available') deeds.push([before, subject(), after]);
  }
  if (now.name !== seen.name) deeds.push(['renamed ', subject(), ' to ', now]);
  if (now.categoryId !== seen.categoryId)
    deeds.push(['moved ', subject(), ` to ${names.mention(now.categoryId)}`]);
  const words: (string | Pet)[] = [`${other} has `];
  for (const [index, deed] of deeds.entries()) {
    if (index > 0) words.push(index === deeds.length - 1 ? ' and ' : ', ');
    words.push(...deed);
  }
  const { name, categoryId } = wish === 'remove' ? {} : wish;
  const typed = [
    name !== undefined && `“${isolatedName(name)}”`,
    categoryId !== undefined && names.mention(categoryId),
  ].filter((text) => text !== false);
  return [...words, ' in the meantime.', typed.length > 0 ? ` You wanted ${typed.join(' and ')}.` : ''];
}

/** What was typed and differs from what was there before; empty if nothing does. */
export function tellTyped({ base, draft }: Typed, names: CategoryNames): string {
  const tell = (text: string, isCategory: boolean) =>
    isCategory && isInteger(text) ? names.mention(BigInt(text)) : `“${isolatedName(text)}”`;
  const typed = inputs.filter((field) => draft[field] !== base[field]);
  return typed.map((field) => tell(draft[field], field === 'categoryId')).join(', ');
}

/** The whole name, or the id where there is no name. */
export function nameOf({ id, name }: Pet): string {
  return name.trim() === '' ? `Pet ${id}` : name;
}

/** A name that fits into a sentence. */
export function shortNameOf(pet: Pet): string {
  return shortened(nameOf(pet));
}

function shortened(name: string): string {
  const characters = Array.from(name.slice(0, 200));
  return characters.length > 40 ? `${characters.slice(0, 39).join('')}…` : name;
}

/** The id that follows a name in a sentence, because two pets may have the same name. */
export function idAfter({ id, name }: Pet): string {
  return name.trim() === '' ? '' : ` (${id})`;
}

export function isolatedName(name: string): string {
  return `\u2068${shortened(name)}\u2069`;
}

/** The words as plain text. */
export function textOf(words: Words): string {
  return words.map((word) => (typeof word === 'string' ? word : shortNameOf(word) + idAfter(word))).join('');
}

/** What a person wants for a pet: other values, or its removal. */
export type Wish = PetFields | 'remove';

/** A wish for a pet as the person saw it, or a new pet. */
export type Wanted =
  | { seen: Pet; wish: Wish; idempotencyKey?: undefined }
  | { seen?: undefined; wish: NewPet; idempotencyKey: string };

export function subjectOf({ seen, wish }: Wanted): Pet | string {
  return seen ?? isolatedName(wish.name);
}

/** True when a wish returns a sold pet. */
export function isReturn(seen: Pet, wish: PetFields): boolean {
  return seen.status === 'sold' && wish.status !== undefined && wish.status !== 'sold';
}

/** The fields of a pet that a person has seen. A change sends them along, and fails if somebody else was faster. */
export function fieldsOf(pet: Pet, fields: readonly (keyof PetFields)[] = petFields): PetFields {
  return Object.fromEntries(fields.map((field) => [field, pet[field] ?? null]));
}

export function withFields(pet: Pet, fields: PetFields): Pet {
  const wanted = Object.entries({ ...pet, ...fields }).filter(([, value]) => value !== null);
  return Object.fromEntries(wanted) as unknown as Pet;
}

/** The wish that undoes another one. */
export function reversed(seen: Pet, fields: PetFields): PetFields {
  return fieldsOf(seen, Object.keys(fields) as (keyof PetFields)[]);
}
