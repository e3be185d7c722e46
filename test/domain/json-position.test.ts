import { describe, expect, it } from 'bun:test';
import * as fc from 'fast-check';
import { findJsonProblem, findUtf8Problem } from '../../src/domain/json-position.ts';
import { holds, propertyTimeoutMs } from '../support/property.ts';

/** The problem in one line: `line:column expected, found`. */
function describeProblem(text: string): string | undefined {
  const problem = findJsonProblem(text);
  return problem && `${problem.line}:${problem.column} ${problem.expected}, ${problem.found}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('findJsonProblem', () => {
  it.each([
    ['', '1:1 a value, the end'],
    ['  ', '1:3 a value, the end'],
    ['{', '1:2 a field name in double quotes or "}", the end'],
    ['{"name":"Rex",}', '1:15 a field name in double quotes, "}"'],
    [`{'name':"Rex"}`, `1:2 a field name in double quotes or "}", "'"`],
    ['{name:"Rex"}', '1:2 a field name in double quotes or "}", "name"'],
    ['{"name"}', '1:8 ":", "}"'],
    ['{"name" "Rex"}', '1:9 ":", a double quote'],
    ['{"name":}', '1:9 a value, "}"'],
    ['{"name":"Rex" "categoryId":1}', '1:15 "," or "}", a double quote'],
    ['{"name":"Rex"', '1:14 "," or "}", the end'],
    ['{\n  "name": "Rex",\n  "categoryId": 01\n}', '3:18 "," or "}", "1"'],
    ['{\r\n"a": tru}', '2:6 a value, "tru"'],
    ['{\r"a": None}', '2:6 a value, "None"'],
    ['[1,]', '1:4 a value, "]"'],
    ['[', '1:2 a value or "]", the end'],
    ['[1 2]', '1:4 "," or "]", "2"'],
    ['{} {}', '1:4 nothing more, "{"'],
    ['-', '1:2 a digit, the end'],
    ['[.5]', '1:2 a value or "]", "."'],
    ['[1.]', '1:4 a digit, "]"'],
    ['[1.e5]', '1:4 a digit, "e5"'],
    ['[1e+]', '1:5 a digit, "]"'],
    ['[1.5.2]', '1:5 "," or "]", "."'],
    ['+1', '1:1 a value, "+"'],
    ['0x10', '1:2 nothing more, "x10"'],
    ['"Rex', '1:5 a closing double quote, the end'],
    ['"a\tb"', '1:3 an escape such as \\n for this character, U+0009'],
    ['"a\nb"', '1:3 an escape such as \\n for this character, U+000A'],
    ['"a\\x"', '1:4 an escape such as \\n, \\" or \\u00e9, "x"'],
    ['"\\u12g4"', '1:3 an escape such as \\n, \\" or \\u00e9, "u12g4"'],
    ['\uFEFF{}', '1:1 a value, a byte order mark (U+FEFF)'],
    ['\u00a0{}', '1:1 a value, U+00A0'],
    ['{"a":\0}', '1:6 a value, U+0000'],
    ['["🐈", 🐈]', '1:7 a value, "🐈"'],
    ['[\ud800]', '1:2 a value or "]", U+D800'],
    [`[${'x'.repeat(5000)}]`, '1:2 a value or "]", "xxxxxxxxxxxx…"'],
    ['{"password":hunter2hunter2}', '1:13 a value, "hunter2hunte…"'],
  ])('tells where %j stops being JSON', (text, expected) => {
    expect(isJson(text)).toBe(false);
    expect(describeProblem(text)).toBe(expected);
  });

  it.each(['0', '-0', '1e5', '"\\u00e9\\n"', '"\u007f\u0085\u2028"', ' [ ] ', '{"a":[{}, null]}', 'true'])(
    'finds nothing in %j',
    (text) => {
      expect(isJson(text)).toBe(true);
      expect(findJsonProblem(text)).toBeUndefined();
    },
  );

  it(
    'agrees with JSON.parse on any text made of pieces of JSON',
    async () => {
      const piece = fc.constantFrom(
        ...[
          '{',
          '}',
          '[',
          ']',
          ',',
          ':',
          '"',
          '"a"',
          '\\',
          '\\n',
          '\\u00',
          'e',
          'E',
          '+',
          '-',
          '.',
          '0',
          '12',
        ],
        ...['true', 'false', 'null', 'nul', ' ', '\n', '\t', '\0', '\u007f', '\u2028', 'é', '\ufeff', '/'],
      );
      const broken = fc.tuple(fc.json(), fc.nat(), fc.nat(3), piece).map(([text, at, removed, inserted]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + inserted + text.slice(place + removed);
      });
      const pieces = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
      await holds(
        fc.asyncProperty(fc.oneof(pieces, broken, fc.string({ unit: 'binary' })), async (text) => {
          expect(findJsonProblem(text) === undefined).toBe(isJson(text));
        }),
        20_000,
      );
    },
    propertyTimeoutMs,
  );

  it('names a place up to which the text can still become JSON', async () => {
    const endings = ['', '"', 'a"', '0', '1}', '"":0}', ':0}', '}', ']', '0]', '"]', '"}', 'x'];
    for (const text of ['{"a":1,}', '[1,,2]', '{"a" 1}', '"a\\qb"', '[1.x]', '{,}', 'nul']) {
      const { column = 0 } = findJsonProblem(text) ?? {};
      const before = text.slice(0, column - 1);
      const canGoOn = [...endings, 'n"', '5]', 'null'].some((ending) => isJson(before + ending));
      expect({ text, canGoOn }).toEqual({ text, canGoOn: true });
    }
  });

  it('reads a text as deep as it is long, and a long string of escapes', () => {
    expect(describeProblem('['.repeat(1_000_000))).toBe('1:1000001 a value or "]", the end');
    expect(describeProblem(`"${'\\n'.repeat(500_000)}`)).toBe('1:1000002 a closing double quote, the end');
  });
});

describe('findUtf8Problem', () => {
  it.each([
    [[0x22, 0xff, 0x22], 1],
    [[0xc3], 0],
    [[0x61, 0xc3, 0x28], 1],
    [[0xed, 0xa0, 0x80], 0],
    [[0xef, 0xbf], 0],
    [[0x61, 0xef, 0xbf, 0x61], 1],
    [[0xef, 0xbf, 0xbd, 0xf0, 0x9f, 0x90], 3],
    [[0xc0, 0xaf], 0],
  ])('finds the first byte that is not UTF-8 in %j', (bytes, offset) => {
    expect(findUtf8Problem(Uint8Array.from(bytes))).toBe(offset);
  });

  it('finds nothing in UTF-8, a byte order mark and a replacement character included', () => {
    for (const text of ['', 'Rex', '\ufeffRex', '\ufffd', '🐈 é'])
      expect(findUtf8Problem(Buffer.from(text))).toBeUndefined();
  });
});
