import { expect, it } from 'bun:test';
import {
  isReturn,
  type Order,
  decideOrder,
  readOrder,
  renderOrder,
  renderReturn,
} from '../../src/domain/history.ts';
import type { NewPet, PetStatus } from '../../src/domain/pet.ts';

const petWith = (status?: PetStatus): NewPet => ({ name: 'Rex', categoryId: 1n, ...(status && { status }) });

it.each<[PetStatus | undefined, PetStatus | undefined, string | undefined, boolean]>([
  [undefined, 'available', undefined, false],
  ['available', 'pending', 'pending', false],
  ['pending', 'pending', undefined, false],
  ['pending', 'sold', 'sold', false],
  ['pending', 'available', undefined, true],
  ['pending', undefined, undefined, true],
  ['sold', 'sold', undefined, false],
  ['sold', 'available', undefined, true],
  ['sold', undefined, undefined, true],
  ['sold', 'pending', 'pending', true],
])(
  'a change from %p to %p writes the order %p and returns those before: %p',
  (before, after, order, isBack) => {
    expect(decideOrder(1n, petWith(before), petWith(after), { at: 1 })?.status).toBe(order as 'sold');
    expect(isReturn(petWith(before), petWith(after))).toBe(isBack);
  },
);

it.each<[PetStatus | undefined, boolean]>([
  [undefined, false],
  ['available', false],
  ['pending', true],
  ['sold', true],
])('a new pet that is %p has an order: %p', (status, hasOrder) => {
  expect(decideOrder(1n, undefined, petWith(status), { at: 1 }) !== undefined).toBe(hasOrder);
});

const order: Order = {
  ...{ id: 2n ** 63n - 1n, petId: 2n ** 53n + 1n, categoryId: -(2n ** 63n), name: 'Re"x 🐕', status: 'sold' },
  ...{ createdAt: new Date(1), createdBy: 'till' },
};

it('reads the orders that it has rendered', () => {
  for (const each of [order, { ...order, returnedAt: new Date(2), returnedBy: 'till "2"' }])
    expect(readOrder(renderOrder(each))).toEqual(each);
});

it('renders a return as what replaces the closing brace of an order', () => {
  for (const back of [{ returnedAt: new Date(2), returnedBy: 'till "2"' }, { returnedAt: new Date(2) }])
    expect(renderOrder(order).slice(0, -1) + renderReturn(back)).toBe(renderOrder({ ...order, ...back }));
});
