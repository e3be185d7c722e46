import { OperatorError } from '../domain/error.ts';
import { refuseTooLong, type Splitter } from './lines.ts';
import type { TextRecord } from './record.ts';

const [quote, backslash, comma, lineEnd] = [0x22, 0x5c, 0x2c, 0x0a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Cuts the elements out of a JSON array while the rest is still arriving. It understands only brackets, strings and
 * commas; whether an element is valid JSON is for its reader to say.
 */
export function createArraySplitter(): Splitter {
  let state: 'before' | 'first' | 'next' | 'inside' | 'behind' | 'after' = 'before';
  let rest = '';
  let line = 1;
  let startLine = 1;
  let startColumn = 1;
  /** Where the current line begins, relative to `rest`. */
  let lineStart = 0;
  let depth = 0;
  let isString = false;
  let isEscaped = false;

  const refuse = (reason: string): never => {
    throw new OperatorError(
      `Line ${line}: ${reason} Nothing was written.`,
      'Check the file, or choose another --format.',
    );
  };

  /** True when the element ends before this character. */
  const endsAt = (code: number): boolean => {
    if (isString) {
      if (isEscaped) isEscaped = false;
      else if (code === backslash) isEscaped = true;
      else if (code === quote) isString = false;
      return false;
    }
    if (code === quote) isString = true;
    else if (code === openBracket || code === openBrace) depth += 1;
    else if (code === closeBracket || code === closeBrace) {
      if (depth === 0) return true;
      depth -= 1;
    } else return code === comma && depth === 0;
    return false;
  };

  /** Reads a character outside of elements. */
  const passBetween = (code: number): void => {
    if (isSpace(code)) return;
    if (state === 'before') {
      if (code !== openBracket) refuse('A JSON array begins with a bracket.');
      state = 'first';
    } else if (state === 'after') {
      refuse('Something follows the end of the array.');
    } else if (state === 'behind') {
      if (code !== comma && code !== closeBracket) refuse('A comma is missing.');
      state = code === comma ? 'next' : 'after';
    } else if (code === closeBracket && state === 'first') state = 'after';
    else if (code === comma || code === closeBracket) refuse('A pet is missing.');
    else {
      state = 'inside';
      startLine = line;
    }
  };

  return {
    push(text) {
      const records: TextRecord[] = [];
      const all = rest + text;
      let start = 0;
      for (let index = rest.length; index < all.length; index++) {
        const code = all.charCodeAt(index);
        if (state !== 'inside') {
          passBetween(code);
          start = index;
          startColumn = index - lineStart + 1;
        }
        if (state === 'inside' && endsAt(code)) {
          let end = index;
          while (isSpace(all.charCodeAt(end - 1))) end -= 1;
          records.push({ line: startLine, column: startColumn, text: all.slice(start, end) });
          state = 'behind';
          passBetween(code);
        }
        if (code === lineEnd) {
          line += 1;
          lineStart = index + 1;
        }
      }
      rest = state === 'inside' ? all.slice(start) : '';
      lineStart -= all.length - rest.length;
      refuseTooLong(rest.length, startLine);
      return records;
    },
    end() {
      if (state !== 'after') refuse('The file ends before the array does.');
      return [];
    },
  };
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === lineEnd || code === 0x0d || code === 0x09;
}
