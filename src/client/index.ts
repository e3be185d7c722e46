export { createClient, type PetstoreClient } from './client.ts';
export type { DeprecationNotice } from './deprecation.ts';
export {
  isInvalidPet,
  isNotFound,
  isPetstoreError,
  isTemporary,
  isUnauthorized,
  PetstoreClientError,
  type ConnectionErrorCode,
  type PetstoreClientErrorDetails,
  type PetstoreErrorCode,
  type ServiceErrorCode,
} from './error.ts';
export type {
  CallOptions,
  ClientOptions,
  CreatePetOptions,
  Fetch,
  ListPetsOptions,
  PetsOptions,
} from './options.ts';
export {
  isPetStatus,
  petStatuses,
  problemsOf,
  type NewPet,
  type Pet,
  type PetPage,
  type PetProblems,
  type PetStatus,
} from './pet.ts';
export { createUuid as createIdempotencyKey } from './uuid.ts';
