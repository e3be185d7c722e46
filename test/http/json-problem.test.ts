import { describe, expect, it } from 'bun:test';
import { findJsonProblem } from '../../src/http/json-problem.ts';

describe('findJsonProblem', () => {
  it.each([
    ['', '1:1 value expected'],
    ['{', '1:2 close brace expected'],
    ['{"name":"Rex",}', '1:15 property name expected'],
    ['{"name" "Rex"}', '1:9 colon expected'],
    ['{\n  "name": "Rex",\n  "categoryId": 01\n}', '3:18 comma expected'],
    ['{\r\n"a": None}', '2:6 invalid symbol'],
    ['{} {}', '1:4 end of file expected'],
    ['"Rex', '1:1 unexpected end of string'],
    ['"a\tb"', '1:1 invalid character'],
    ['{} // Rex', '1:4 invalid comment token'],
    ['\uFEFF{}', '1:1 invalid symbol'],
  ])('shows where %j stops being JSON', (text, expected) => {
    const { line, column, reason } = findJsonProblem(text)!;
    expect(`${line}:${column} ${reason}`).toBe(expected);
  });

  it('stops at the first error', () => {
    const rest = '1,'.repeat(1_000_000);
    const early = Math.min(...Array.from({ length: 3 }, () => msOf(() => findJsonProblem(`[x${rest}`))));
    expect(early).toBeLessThan(msOf(() => findJsonProblem(`[${rest}`)) / 10);
  });

  it('gives up on brackets that are nested too deeply', () => {
    expect(findJsonProblem('['.repeat(1_000_000))).toBeUndefined();
  });
});

function msOf(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
