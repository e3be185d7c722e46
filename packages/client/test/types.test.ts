import { describe, expectTypeOf, it } from 'bun:test';
import {
  createClient,
  isInvalidPet,
  isPetstoreError,
  isUnauthorized,
  PetstoreClientError,
  type NewPet,
  type Pet,
  type PetStatus,
  type ServiceErrorCode,
} from '../src/index.ts';
import type { ErrorCode } from '../../../src/domain/error.ts';
import type {
  NewPet as DomainNewPet,
  Pet as DomainPet,
  PetStatus as DomainPetStatus,
} from '../../../src/domain/pet.ts';

// These tests fail in the compiler: `npm run check` reads this file.
describe('the client', () => {
  it('has the types of the domain', () => {
    expectTypeOf<PetStatus>().toEqualTypeOf<DomainPetStatus>();
    expectTypeOf<Pet>().toEqualTypeOf<DomainPet>();
    expectTypeOf<DomainNewPet>().toExtend<NewPet>();
    expectTypeOf<ServiceErrorCode>().toEqualTypeOf<ErrorCode>();
  });

  it('does not compile with what the service would refuse', () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'none', retryForMs: 0 });
    const calls = () => [
      // @ts-expect-error a number loses digits
      client.createPet({ name: 'Rex', categoryId: 1 }),
      // @ts-expect-error a name is required
      client.createPet({ categoryId: 1n }),
      // @ts-expect-error no such status
      client.listPets({ status: 'lost' }),
      // @ts-expect-error the next page has its filter already
      client.listPets({ next: '?cursor=x', status: 'sold' }),
      // @ts-expect-error an id is a bigint
      client.getPet(1),
      // @ts-expect-error an order is never available
      client.listOrders({ status: 'available' }),
      // @ts-expect-error a number loses digits
      client.updatePet(1n, { categoryId: 1 }),
      // @ts-expect-error a number loses digits
      client.putCategory(1, 'Cats'),
      // @ts-expect-error a time without a zone
      client.orders({ since: '2026-11-16T00:00' }),
    ];
    expectTypeOf(calls).toBeFunction();
  });

  it('narrows an error by its code', () => {
    const error: unknown = new PetstoreClientError('timeout', 'Too late.', { requestId: 'r' });
    if (isPetstoreError(error)) expectTypeOf(error).toEqualTypeOf<PetstoreClientError>();
    if (isPetstoreError(error, 'not_found', 'timeout'))
      expectTypeOf(error.code).toEqualTypeOf<'not_found' | 'timeout'>();
    if (isUnauthorized(error)) expectTypeOf(error.code).toEqualTypeOf<'unauthorized' | 'invalid_api_key'>();
    if (isInvalidPet(error)) expectTypeOf(error.status).toEqualTypeOf<number | undefined>();
  });
});
