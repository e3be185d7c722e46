import { expect, it } from 'bun:test';
import { baseAddressOf } from '../../src/conform/api.ts';

it.each([
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/v1'],
  ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/v1'],
  ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
  ['http://127.0.0.1:8080/v1/', 'http://127.0.0.1:8080/v1'],
  ['https://pets.example/shop', 'https://pets.example/shop/v1'],
  ['https://pets.example/shop/v1?x=1#y', 'https://pets.example/shop/v1'],
])('takes %s for the base address %s', (url, base) => {
  expect(baseAddressOf(url)).toBe(base);
});
