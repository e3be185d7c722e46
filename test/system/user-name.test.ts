import { expect, it } from 'bun:test';
import { userNameOf } from '../../src/system/user-name.ts';

it('finds the name of a user by its number, and none for a number without a user', () => {
  expect(userNameOf(0)).toBe('root');
  expect(userNameOf(4_294_000_000)).toBeUndefined();
});
