import { describe, expect, it } from 'bun:test';
import { defaultQuery, searchOf } from '../../../src/console/pets/find/query.ts';

const queryOf = (text: string) => searchOf({ ...defaultQuery, text }).q;

describe('what is typed into the search', () => {
  it.each(['', ' ', '""', '" "', '\u0301', '¨'])('asks for all pets if %j has no word', (text) => {
    expect(queryOf(text)).toBeUndefined();
  });

  it.each([
    [' rex ', 'rex'],
    ['"7"', '7'],
    ['e\u0301', 'e\u0301'],
    ['%', '%'],
  ])('asks for the words of %j', (text, expected) => {
    expect(queryOf(text)).toBe(expected);
  });
});
