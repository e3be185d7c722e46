import { describe, expect, it } from 'bun:test';
import { OperatorError } from '../../src/error.ts';
import { readArguments } from '../../src/cli/arguments.ts';

const config = {
  options: { category: { type: 'string' }, json: { type: 'boolean' } },
  allowPositionals: true,
} as const;

const read = (...args: string[]) => readArguments('pets', args, config);

describe('the arguments of a command', () => {
  it('take a negative number for a value', () => {
    expect(read('add', '--category', '-9223372036854775808').values.category).toBe('-9223372036854775808');
    expect(read('get', '-9223372036854775808', '--json')).toMatchObject({
      positionals: ['get', '-9223372036854775808'],
      values: { json: true },
    });
  });

  it.each([[['--unknown']], [['--category']], [['-x']], [['--category', '--json']], [['--json=yes']]])(
    'are refused in one line: %p',
    (args) => {
      expect(() => read(...args)).toThrow(OperatorError);
      expect(() => read(...args)).toThrow(/^[^\n]*[^.]\. See: petstore pets --help$/);
    },
  );
});
