import type { Pet, PetFields, PetStatus } from '../../../client/src/index.ts';
import { petFields } from '../draft.ts';
import type { Words } from './notes.ts';

/** How to tell of each status: that a pet has it, to give it, and that somebody else has given it. */
const told: Record<
  PetStatus | 'none',
  { done: string; command: string; deed: [before: string, after: string] }
> = {
  available: { done: ' is available.', command: 'Make it available', deed: ['made ', ' available'] },
  pending: { done: ' is pending.', command: 'Make it pending', deed: ['made ', ' pending'] },
  sold: { done: ' is sold.', command: 'Sell it', deed: ['sold ', ''] },
  none: { done: ' has no status.', command: 'Take its status away', deed: ['taken the status of ', ' away'] },
};

export function tellDone(pet: Pet, wish: Wish): Words {
  if (wish === 'remove') return ['Removed ', pet, '.'];
  return wish.status === undefined ? ['Saved ', pet, '.'] : [pet, told[pet.status ?? 'none'].done];
}

/** The label of a button that does it in spite of what others did. */
export function anywayLabel(wish: Wish): string {
  if (wish === 'remove') return 'Remove it anyway';
  return `${wish.status === undefined ? 'Save it' : told[wish.status ?? 'none'].command} anyway`;
}

/** Tells what others did to a pet since a person saw it. */
export function tellConflict(seen: Pet, now: Pet): Words {
  const parts: Words[] = [];
  const subject = () => (parts.length === 0 ? seen : 'it');
  if (now.status !== seen.status) {
    const [before, after] = told[now.status ?? 'none'].deed;
    parts.push([before, subject(), after]);
  }
  if (now.name !== seen.name) parts.push(['renamed ', subject(), ' to ', now]);
  if (now.categoryId !== seen.categoryId) parts.push(['moved ', subject(), ` to category ${now.categoryId}`]);
  const words: (string | Pet)[] = ['Somebody else has '];
  for (const [index, part] of parts.entries()) {
    if (index > 0) words.push(index === parts.length - 1 ? ' and ' : ', ');
    words.push(...part);
  }
  return [...words, ' in the meantime.'];
}

/** A name that fits into a sentence. */
export function shortNameOf({ id, name }: Pet): string {
  if (name.trim() === '') return `Pet ${id}`;
  const characters = Array.from(name.slice(0, 200));
  return characters.length > 40 ? `${characters.slice(0, 39).join('')}…` : name;
}

/** What a person wants for a pet: other values, or that it goes. */
export type Wish = PetFields | 'remove';

/** What a person sees of a pet, in all fields or some. A change names it, so that it fails if somebody else was faster. */
export function fieldsOf(pet: Pet, fields: readonly (keyof PetFields)[] = petFields): PetFields {
  return Object.fromEntries(fields.map((field) => [field, pet[field] ?? null]));
}

export function withFields(pet: Pet, fields: PetFields): Pet {
  const wanted = Object.entries({ ...pet, ...fields }).filter(([, value]) => value !== null);
  return Object.fromEntries(wanted) as unknown as Pet;
}

/** The wish that takes another one back. */
export function reversed(seen: Pet, fields: PetFields): PetFields {
  return fieldsOf(seen, Object.keys(fields) as (keyof PetFields)[]);
}
