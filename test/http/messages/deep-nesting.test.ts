import { afterAll, describe, expect, it } from 'bun:test';
import { maxBodyBytes } from '../../../src/domain/pet.ts';
import { outcomeOf, post } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

const service = await openService();
const { call } = service;
afterAll(() => service.close());

/** As many brackets as fit beside a pet. */
const deep = (open: string, close: string, inner: string): string => {
  const depth = Math.floor((maxBodyBytes - 200) / (open.length + close.length));
  return open.repeat(depth) + inner + close.repeat(depth);
};
const nests: [title: string, text: string][] = [
  ['arrays', deep('[', ']', '')],
  ['objects', deep('{"a":', '}', '{}')],
  ['arrays of long numbers', deep('[', ']', '12345678901234567890')],
  ['a text of brackets', JSON.stringify('['.repeat(15_000))],
  ['a text of escapes', `"${String.raw`\"`.repeat(7_000)}"`],
];
/** Some can be read by a plain parse, some cannot. */
const numbers = ['1', '1.0', '9007199254740993'];

describe('an unknown field', () => {
  for (const [title, nested] of nests) {
    it.each(numbers)(
      `may hold ${title}, as deep as the body allows, beside categoryId %s`,
      async (number) => {
        for (const body of [
          `{"x":${nested},"name":"Rex","categoryId":${number}}`,
          `{"name":"Rex","categoryId":${number},"x":${nested}}`,
        ]) {
          expect(await outcomeOf(call('/v1/pets', post(body)))).toBe('201');
        }
      },
    );

    it.each(numbers)(`must be JSON: ${title} without an end, beside categoryId %s`, async (number) => {
      const body = `{"name":"Rex","categoryId":${number},"x":${nested.slice(0, -1)}}`;
      expect(await outcomeOf(call('/v1/pets', post(body)))).toBe('400 invalid_json');
    });
  }
});
