import type { Pet, PetFields, PetStatus } from '../../../client/src/index.ts';
import { petFields } from '../draft.ts';
import type { Words } from './notes.ts';

/** A status; `none` stands for a pet without one. */
type StatusKey = PetStatus | 'none';

const done: Record<StatusKey, string> = {
  available: ' is available.',
  pending: ' is pending.',
  sold: ' is sold.',
  none: ' has no status.',
};
const commands: Record<StatusKey, string> = {
  available: 'Make it available',
  pending: 'Make it pending',
  sold: 'Sell it',
  none: 'Take its status away',
};
/** What somebody else has done to it. */
const deeds: Record<StatusKey, [before: string, after: string]> = {
  available: ['made ', ' available'],
  pending: ['made ', ' pending'],
  sold: ['sold ', ''],
  none: ['taken the status of ', ' away'],
};

/** Tells what has become of a pet. */
export function tellDone(pet: Pet, wish: Wish): Words {
  if (wish === 'remove') return ['Removed ', pet, '.'];
  return wish.status === undefined ? ['Saved ', pet, '.'] : [pet, done[keyOf(pet)]];
}

/** Tells that nothing has become of it. */
export function tellFailed(pet: Pet, wish: Wish): Words {
  return [pet, wish === 'remove' ? ' was not removed.' : ' was not changed.'];
}

/** The label of a button that does it in spite of what others did. */
export function anywayLabel(wish: Wish): string {
  if (wish === 'remove') return 'Remove it anyway';
  return `${wish.status === undefined ? 'Save it' : commands[keyOf(wish)]} anyway`;
}

/** Tells what others did to a pet since a person saw it. */
export function tellConflict(seen: Pet, now: Pet): Words {
  const parts: Words[] = [];
  const subject = () => (parts.length === 0 ? seen : 'it');
  if (now.status !== seen.status) {
    const [before, after] = deeds[keyOf(now)];
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

function keyOf({ status }: { status?: PetFields['status'] }): StatusKey {
  return status ?? 'none';
}

/** What a person wants for a pet: other values, or that it goes. */
export type Wish = PetFields | 'remove';

/** All that a person sees of a pet. A change names it, so that it fails if somebody else was faster. */
export function fieldsOf(pet: Pet): PetFields {
  return Object.fromEntries(petFields.map((field) => [field, pet[field] ?? null]));
}

/** The pet as it is wanted. */
export function withFields(pet: Pet, fields: PetFields): Pet {
  const wanted: Record<string, unknown> = { ...pet };
  for (const field of petFields) {
    if (fields[field] === null) delete wanted[field];
    else if (fields[field] !== undefined) wanted[field] = fields[field];
  }
  return wanted as unknown as Pet;
}

/** The wish that takes another one back. */
export function reversed(seen: Pet, fields: PetFields): PetFields {
  const before = Object.entries(fieldsOf(seen));
  return Object.fromEntries(before.filter(([field]) => fields[field as keyof PetFields] !== undefined));
}
