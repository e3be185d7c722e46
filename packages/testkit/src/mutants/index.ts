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

/** Every mutant, by its number. */
export const mutants: readonly Mutant[] = definitions
  .map((mutant): Mutant => Object.assign({ breaks: 'contract' as const }, mutant))
  .toSorted((one, other) => one.number - other.number);
