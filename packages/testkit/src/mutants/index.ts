import { acceptedMutants } from './accepted.ts';
import { authenticationMutants } from './authentication.ts';
import { categoryMutants } from './categories.ts';
import { createMutants } from './create.ts';
import { deprecationMutants } from './deprecation.ts';
import { forOperations, stableOperations } from './edit.ts';
import { errorMutants } from './errors.ts';
import { eventMutants } from './events.ts';
import { etagMutants } from './etag.ts';
import { filterMutants } from './lists/filter.ts';
import { getMutants } from './get.ts';
import { idempotencyMutants } from './idempotency.ts';
import { limitMutants, listMutants } from './lists/list.ts';
import type { Mutant, MutantDefinition, MutantOperation, Wrap } from './mutant.ts';
import { pagingMutants } from './lists/paging.ts';
import { protocolMutants } from './protocol.ts';
import { readMutants } from './reads.ts';
import { returnedPetMutants } from './returned-pet.ts';
import { storedMutants } from './stored.ts';

export type { Mutant } from './mutant.ts';

/** A new mutant gets the next number, whatever its subject. */
const groups: [operation: MutantOperation, section: string, definitions: readonly MutantDefinition[]][] = [
  ['listPets', 'Limits', limitMutants],
  ['listPets', 'GET /pets', [...filterMutants, ...listMutants]],
  ['createPet', 'NewPet', [...acceptedMutants, ...storedMutants]],
  ['all', 'Pet', returnedPetMutants],
  ['createPet', 'POST /pets', createMutants],
  ['getPet', 'GET /pets/{petId}', [...getMutants, ...readMutants]],
  ['all', 'Authentication', authenticationMutants],
  ['all', 'Errors', errorMutants],
  ['getPet', 'Versioning', deprecationMutants],
  ['listPets', 'Pages', pagingMutants],
  ['createPet', 'Idempotency keys', idempotencyMutants],
  ['all', 'ETags', etagMutants],
  ['all', 'Methods, paths and headers', protocolMutants],
  ['listEvents', 'Events', eventMutants],
  ['putCategory', 'Categories', categoryMutants],
];

/** Every mutant, by its number. */
export const mutants: readonly Mutant[] = groups
  .flatMap(([groupOperation, section, definitions]) =>
    definitions.map(({ operation = groupOperation, breaks = 'contract', wrap, ...others }) => ({
      ...others,
      breaks,
      operation,
      section,
      wrap: within(operation, wrap),
    })),
  )
  .toSorted((one, other) => one.number - other.number);

/** Limits a mistake of a stable operation to requests for that operation. */
function within(operation: MutantOperation, wrap: Wrap): Wrap {
  const only = stableOperations.find((each) => each === operation);
  return only ? forOperations([only], wrap) : wrap;
}
