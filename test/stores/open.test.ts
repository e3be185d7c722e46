import { describe, expect, it } from 'bun:test';
import { storeAt } from '../../src/stores/open.ts';

describe('the name of a store', () => {
  it('hides the password of a database', () => {
    expect(storeAt('postgres://petstore:p@ss@db.example/shop?password=secret').name).toBe(
      'postgres://db.example/shop',
    );
    expect(storeAt('sqlite:data/petstore.db').name).toBe('data/petstore.db');
  });

  it.each([
    'postgres://petstore:sec?ret@db.example/shop',
    'postgres://petstore:sec#ret@db.example/shop',
    'postgres://petstore:sec/ret@db.example/shop',
    'postgres:petstore:secret@db.example/shop',
    'postgres://db.example/shop?password=sec@ret',
  ])('shows nothing of an address whose password is not encoded: %s', (address) => {
    expect(storeAt(address).name).toBe('postgres://…');
  });
});
