export type { Key } from './beta.ts';
export type { Category, CategoryPage } from './category.ts';
export { createCategory, type CreateCategoryOptions } from './create-category.ts';
export type { PetChanges } from './changes.ts';
export { createClient, type PetstoreClient } from './client.ts';
export type { DeprecationNotice, Operation } from './deprecation.ts';
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
export type { EventPage, EventsOptions, EventType, PetEvent } from './event.ts';
export type {
  CallOptions,
  ChangePetOptions,
  ClientOptions,
  CreatePetOptions,
  Fetch,
  ListCategoriesOptions,
  ListOrdersOptions,
  ListPetsOptions,
  NextPageOptions,
  OrdersOptions,
  PetsOptions,
  PutCategoryOptions,
  SearchPetsOptions,
  SearchPetsPageOptions,
} from './options.ts';
export type { Order, OrderPage, OrderStatus } from './order.ts';
export {
  isPetStatus,
  petStatuses,
  problemsOf,
  type CreatedPet,
  type NewPet,
  type Pet,
  type PetFields,
  type PetPage,
  type PetProblems,
  type PetStatus,
  type VersionedPet,
} from './pet.ts';
export { createUuid as createIdempotencyKey } from './wire/uuid.ts';
