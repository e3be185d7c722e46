import { acceptedMutants } from './accepted.ts';
import { authenticationMutants } from './authentication.ts';
import { categoryMutants } from './categories.ts';
import { createMutants } from './create.ts';
import { deprecationMutants } from './deprecation.ts';
import { errorMutants } from './errors.ts';
import { eventMutants } from './events.ts';
import { etagMutants } from './etag.ts';
import { filterMutants } from './lists/filter.ts';
import { getMutants } from './get.ts';
import { idempotencyMutants } from './idempotency.ts';
import { limitMutants } from './lists/limit.ts';
import { listMutants } from './lists/list.ts';
import type { Mutant, MutantDefinition } from './mutant.ts';
import { pagingMutants } from './lists/paging.ts';
import { protocolMutants } from './protocol.ts';
import { readMutants } from './reads.ts';
import { returnedPetMutants } from './returned-pet.ts';
import { storedMutants } from './stored.ts';

export type { Mutant } from './mutant.ts';

/** A new mutant gets the next number, whatever its subject. */
const definitions: readonly MutantDefinition[] = [
  ...limitMutants,
  ...filterMutants,
  ...listMutants,
  ...returnedPetMutants,
  ...acceptedMutants,
  ...storedMutants,
  ...createMutants,
  ...getMutants,
  ...authenticationMutants,
  ...errorMutants,
  ...deprecationMutants,
  ...pagingMutants,
  ...idempotencyMutants,
  ...etagMutants,
  ...readMutants,
  ...protocolMutants,
  ...eventMutants,
  ...categoryMutants,
];

/** Each family groups the variants of one mistake, by field, operation or value. Every mutant is in one family. */
const families: readonly (readonly [heading: string, numbers: string])[] = [
  ['A limit gives too many or too few pets', '1-7 13 14'],
  ['A bad limit is accepted', '8-12'],
  ['A filter lists the wrong pets', '15-20 22'],
  ['A bad or missing filter is misread', '21 209'],
  ['A list is not an array of pets', '23-28'],
  ['A field that every pet has is missing: id, name, categoryId', '29-37 60'],
  ['An integer is a string: id, categoryId', '38-43'],
  ['An integer is written as a fraction: id, categoryId', '214-216'],
  ['An integer loses digits: categoryId', '44-46 83 84 85'],
  ['A status is null, lost, made up or changed', '47-58 88 89'],
  ['A field that nobody knows', '59 91'],
  ['A missing field is accepted: name, categoryId', '61 64'],
  ['A value of another type is accepted: name, categoryId', '62 65 67'],
  ['null is accepted: name, categoryId, status', '63 66 72'],
  ['A value out of range is accepted: categoryId, status', '69-71'],
  ['A body of another kind is accepted', '74 75'],
  ['A name is changed', '76-81'],
  ['A good value is refused: name, categoryId, status', '82 86 87 90 208'],
  ['A create responds wrongly', '92-95 100 101'],
  ['A create stores too much or too little', '96-99'],
  ['An unknown or bad id is not 404', '102-107'],
  ['getPet returns something else', '108 113'],
  ['An id finds another pet', '109-112'],
  ['A key is not checked, or not well enough', '114-124'],
  ['A refused key gets another status than 401', '126-128 207'],
  ['A 401 is incomplete', '129 130 132'],
  ['A key is checked too strictly or too late', '131 133 134'],
  ['An error lacks a field: code, message, status', '135-137 147-149'],
  ['A field of an error has another type or value', '138-142 155'],
  ['An error has another form', '143-146 150 153 154 156'],
  ['An invalid pet is not 400', '151 206'],
  ['A deprecation is announced wrongly', '157-161 210'],
  ['Pages skip, repeat or do not end', '163 164 171-174'],
  ['The Link of a page is wrong', '165-169'],
  ['An Idempotency-Key is ignored or misused', '175-181'],
  ['An ETag or its condition is wrong', '182-191'],
  ['A read changes something', '192-195'],
  ['A method, path or parameter is treated wrongly', '196-201 204 205'],
  ['The request id is missing', '202 203'],
  ['Events are missing, doubled or out of order', '211-213'],
  ['A category does more or less than it should', '217-220'],
];

/** Every mutant, by its number. */
export const mutants: readonly Mutant[] = definitions
  .map((mutant): Mutant => Object.assign({ breaks: 'contract' as const, family: familyOf(mutant) }, mutant))
  .toSorted((one, other) => one.number - other.number);

function familyOf({ number, name }: MutantDefinition): string {
  const family = families.find(([, numbers]) => numbers.split(' ').some((range) => isIn(number, range)));
  if (!family) throw new RangeError(`The mutant ${name} has no family`);
  return family[0];
}

function isIn(number: number, range: string): boolean {
  const [first = 0, last = first] = range.split('-').map(Number);
  return number >= first && number <= last;
}
