import { describe, expect, it } from 'bun:test';
import { parseCategoryName, renderCategory } from '../../src/domain/category.ts';
import { PetstoreError } from '../../src/domain/error.ts';

describe('the name of a category', () => {
  it.each(['Cats', ' Cats ', '7', 'e\u0301', '\u2028x', '🐕'.repeat(100), 'x'.repeat(100), '\u{10ffff}'])(
    'may be %j, and stays as sent',
    (name) => {
      expect(parseCategoryName({ name, id: 3 })).toBe(name);
      expect(JSON.parse(renderCategory({ id: 7n, name }))).toEqual({ id: 7, name });
    },
  );

  const blank = 'name must have 1 to 100 characters and must not be blank.';
  const malformed = 'name must be well-formed Unicode without U+0000.';
  const noText = 'The body must be a JSON object whose name is a string.';
  it.each([
    [{ name: '' }, blank],
    [{ name: ' \t\u00a0\u3000' }, blank],
    [{ name: 'x'.repeat(101) }, blank],
    [{ name: '🐕'.repeat(101) }, blank],
    [{ name: 'a\0' }, malformed],
    [{ name: '\ud800' }, malformed],
    [{ name: null }, noText],
    [{ name: 7 }, noText],
    [{}, noText],
    [[], noText],
    ['Cats', noText],
    [null, noText],
  ])('is refused: %j', (body, message) => {
    let error: unknown;
    try {
      parseCategoryName(body);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(PetstoreError);
    expect(error).toMatchObject({ code: 'invalid_category', status: 400, message });
  });

  it('keeps every digit of the number', () => {
    expect(renderCategory({ id: -(2n ** 63n), name: '"' })).toBe(
      String.raw`{"id":-9223372036854775808,"name":"\""}`,
    );
  });
});
