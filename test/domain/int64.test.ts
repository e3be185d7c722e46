import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { JsonNumber, parseExactJson, parseInt64 } from '../../src/domain/int64.ts';

const largest = '9223372036854775807';
const smallest = '-9223372036854775808';

describe('parseInt64', () => {
  for (const text of ['0', '1', '-1', '10', largest, smallest, '9007199254740993', '-9007199254740993']) {
    it(`reads ${text} exactly`, () => {
      expect(parseInt64(text)).toBe(BigInt(text));
    });
  }

  const notCanonical = [
    '',
    '-',
    '+1',
    '01',
    '-0',
    '-01',
    '00',
    '1.0',
    '1e2',
    '0x10',
    ' 1',
    '1 ',
    '1\n',
    '１',
  ];
  const outside = ['9223372036854775808', '-9223372036854775809', '99999999999999999999', `${largest}0`];
  for (const text of [...notCanonical, ...outside]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseInt64(text)).toBeUndefined();
    });
  }
});

describe('JsonNumber.toInt64', () => {
  it('reads a long row of zeros in linear time', () => {
    const program = `
      import { JsonNumber } from './domain/int64.ts';
      const number = new JsonNumber('1' + '0'.repeat(65_000) + '1');
      for (let time = 0; time < 1000; time++) if (number.toInt64() !== undefined) process.exit(1);`;
    // In a process of its own, which can be ended. A thousand times too long is too long on every machine.
    const { exitCode } = Bun.spawnSync([process.execPath, '-e', program], {
      cwd: join(import.meta.dir, '../../src'),
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    expect(exitCode).toBe(0);
  });

  const integral: [string, bigint][] = [
    ['0', 0n],
    ['-0', 0n],
    ['-0.000e7', 0n],
    ['0e99999999999999999999', 0n],
    ['3.0', 3n],
    ['1e2', 100n],
    ['1E+2', 100n],
    ['100e-2', 1n],
    ['12.50e1', 125n],
    ['0.001e3', 1n],
    [largest, 2n ** 63n - 1n],
    [smallest, -(2n ** 63n)],
    [`${largest}.000`, 2n ** 63n - 1n],
    ['9.223372036854775807e18', 2n ** 63n - 1n],
    ['922337203685477580700e-2', 2n ** 63n - 1n],
    ['9007199254740993', 2n ** 53n + 1n],
    [`1${'0'.repeat(400)}e-400`, 1n],
  ];
  for (const [source, value] of integral) {
    it(`reads ${source.slice(0, 30)} as ${value}`, () => {
      expect(new JsonNumber(source).toInt64()).toBe(value);
    });
  }

  const refused = ['0.5', '1e-1', '12.5', '9223372036854775808', '-9223372036854775809', '1e19', '9.3e18'];
  for (const source of [...refused, '1e400', '1e99999999999999999999', '1e-99999999999999999999']) {
    it(`refuses ${source}`, () => {
      expect(new JsonNumber(source).toInt64()).toBeUndefined();
    });
  }
});

describe('parseExactJson', () => {
  it('keeps the digits of every number in a field', () => {
    expect(parseExactJson('{"a":9007199254740993,"b":1e400,"c":-0.0,"d":"]"}')).toEqual({
      a: new JsonNumber('9007199254740993'),
      b: new JsonNumber('1e400'),
      c: new JsonNumber('-0.0'),
      d: ']',
    });
  });

  it('ignores nested values beside such a number', () => {
    const text = String.raw`{"a":[1,{"b":"]}"}],"c":{"d":[[]]},"\"}":1.5,"e":[],"f":1}`;
    expect(parseExactJson(text)).toEqual({
      a: [],
      c: [],
      '"}': new JsonNumber('1.5'),
      e: [],
      f: new JsonNumber('1'),
    });
    expect(parseExactJson('[1.5,[2.5]]')).toEqual([new JsonNumber('1.5'), []]);
  });

  it('takes the last of two fields with the same name, as JSON.parse does', () => {
    expect(parseExactJson('{"a":1.5,"a":[2]}')).toEqual({ a: [] });
    expect(parseExactJson('{"a":[2],"a":1.5}')).toEqual({ a: new JsonNumber('1.5') });
  });

  it('keeps a number that is the whole text', () => {
    expect(parseExactJson(' 12345678901234567890 ')).toEqual(new JsonNumber('12345678901234567890'));
  });

  it('returns everything else as JSON.parse does', () => {
    const text = '{"s":"1","t":true,"n":null,"e":{},"l":[],"__proto__":"own"}';
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
    expect(Object.hasOwn(parseExactJson(text) as object, '__proto__')).toBe(true);
  });

  it('throws on invalid JSON', () => {
    for (const text of ['', '{', '01', 'NaN', "{'a':1}", '[1,]'])
      expect(() => parseExactJson(text)).toThrow();
  });
});
