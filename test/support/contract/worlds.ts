import { openFailingService } from '../http/failing-service.ts';
import { openService, type Service, type ServiceOptions } from '../http/service.ts';
import { requestFor, type Change } from './documented-request.ts';
import {
  stableContract,
  wholeContract,
  type Contract,
  type DocumentedOperation,
  type Parameter,
} from './openapi.ts';
import { createPet, putCategory } from '../changes.ts';

/** A document, and services that it describes. */
export interface World {
  contract: Contract;
  open: (options?: ServiceOptions) => Promise<Service>;
  openFailing: (error: unknown) => Promise<Service>;
}

/** What is said about one document is tested for each. */
export const worlds: World[] = [
  {
    contract: stableContract,
    open: (options) => openService({ ...options, stableOnly: true }),
    openFailing: (error) => openFailingService(error, { stableOnly: true }),
  },
  { contract: wholeContract, open: openService, openFailing: openFailingService },
];

/**
 * Sends a request for an operation. A pet or category that is to be deleted is made first: none can be deleted twice. One
 * that is to be read or renamed has a name already.
 */
export async function sendTo(
  service: Service,
  operation: DocumentedOperation,
  change: Change = {},
): Promise<Response> {
  const petId = change.petId ?? (await targetOf(service, operation));
  const { path, init } = requestFor(operation, { ...change, ...(petId !== undefined && { petId }) });
  return service.call(path, init);
}

let lastCategory = 1000n;

async function targetOf(
  { pets }: Service,
  { operationId }: DocumentedOperation,
): Promise<string | undefined> {
  if (operationId === 'deletePet') return String((await pets.apply(createPet(rex))).id);
  if (operationId === 'deleteCategory')
    return String((await pets.apply(putCategory(++lastCategory, 'Cats'))).id);
  if (operationId === 'putCategory' || operationId === 'getCategory')
    await pets.apply(putCategory(7n, 'Cats'));
  return undefined;
}

/** Whether the example of a parameter goes with that of the cursor. A page of one pet has no successor. */
export function isBesideCursor({ name, in: place, example }: Parameter): boolean {
  return place === 'query' && example !== undefined && !['limit', 'cursor', 'id', 'petId'].includes(name);
}

const rex = { name: 'Rex', categoryId: 1n };
