import { describe, expect, it } from 'bun:test';
import { generateKey } from '../../src/domain/api-key.ts';
import { renderLogLine } from '../../src/cli/terminal/output.ts';
import { createLog, describeError, reasonOf, type LogLevel, type LogOptions } from '../../src/system/log.ts';

const at = new Date('2027-03-04T05:06:07.890Z');

function openLog(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  return { log: createLog({ level: 'info', write, now: () => at, ...options }), lines };
}

describe('createLog', () => {
  it('writes one JSON object per line', () => {
    const { log, lines } = openLog();
    log.warn('two\nlines', { status: 503, path: '/v1/pets', absent: undefined });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      time: at.toISOString(),
      level: 'warn',
      message: 'two\nlines',
      status: 503,
      path: '/v1/pets',
    });
  });

  const shown: Record<LogLevel, LogLevel[]> = {
    error: ['error'],
    warn: ['error', 'warn'],
    info: ['error', 'warn', 'info'],
    debug: ['error', 'warn', 'info', 'debug'],
  };
  for (const [level, expected] of Object.entries(shown) as [LogLevel, LogLevel[]][]) {
    it(`shows ${expected.join(', ')} at level ${level}`, () => {
      const { log, lines } = openLog({ level });
      log.error('x');
      log.warn('x');
      log.info('x');
      log.debug('x');
      expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(expected);
    });
  }

  for (const [format, render] of Object.entries({ json: {}, text: { render: renderLogLine } })) {
    it(`hides API keys in the message, the fields and their names: ${format}`, () => {
      const key = generateKey();
      const { log, lines } = openLog(render);
      log.error(`refused ${key}`, {
        path: `/v1/pets?key=${key}`,
        error: describeError(new Error(key)),
        [key]: 1,
      });
      expect(lines.join('')).not.toContain(key.slice(0, 12));
      expect(lines.join('')).not.toContain(key.slice(5, 31));
      expect(lines.join('')).toContain(key.slice(-4));
    });
  }
});

describe('describeError', () => {
  it('gives the stack and every cause', () => {
    const error = new Error('outer', { cause: new TypeError('middle', { cause: 'inner' }) });
    const text = describeError(error);
    expect(text).toContain('outer');
    expect(text).toContain('caused by TypeError: middle');
    expect(text).toEndWith('caused by inner');
    expect(text).toContain('log.test.ts');
  });

  it('describes a value that is not an Error', () => {
    expect(describeError('gone')).toBe('gone');
    expect(describeError(undefined)).toBe('undefined');
  });
});

describe('reasonOf', () => {
  it('is the message of the innermost cause, or its code if there is no message', () => {
    const locked = new Error('database is locked');
    expect(reasonOf(new Error('outer', { cause: new Error('middle', { cause: locked }) }))).toBe(
      'database is locked',
    );
    expect(reasonOf(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
    expect(reasonOf(new TypeError())).toBe('TypeError');
    expect(reasonOf('gone')).toBe('gone');
  });
});
