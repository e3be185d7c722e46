import { acceptedMutants } from './accepted.ts';
import { authenticationMutants } from './authentication.ts';
import { createMutants } from './create.ts';
import { deprecationMutants } from './deprecation.ts';
import { errorMutants } from './errors.ts';
import { etagMutants } from './etag.ts';
import { filterMutants } from './filter.ts';
import { getMutants } from './get.ts';
import { idempotencyMutants } from './idempotency.ts';
import { limitMutants } from './limit.ts';
import { listMutants } from './list.ts';
import type { Mutant } from './mutant.ts';
import { pagingMutants } from './paging.ts';
import { protocolMutants } from './protocol.ts';
import { readMutants } from './reads.ts';
import { returnedPetMutants } from './returned-pet.ts';
import { storedMutants } from './stored.ts';

export type { Mutant } from './mutant.ts';

/** Every mutant, by its number. A new one gets the next number, whatever its subject. */
export const mutants: readonly Mutant[] = [
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
].toSorted((one, other) => one.number - other.number);
