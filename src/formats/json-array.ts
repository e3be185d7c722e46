import { OperatorError } from '../domain/error.ts';
import { refuseTooLong, type Splitter } from './lines.ts';
import type { TextRecord } from './record.ts';

const [quote, backslash, comma, lineEnd] = [0x22, 0x5c, 0x2c, 0x0a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Splits a JSON array into its elements while it is still arriving. It understands only brackets, strings and commas;
 * the reader of an element checks that it is valid JSON.
 */
export function createArraySplitter(): Splitter {
  /** The unfinished element, and where it began. */
  let rest = '';
  let startLine = 1;
  let startColumn = 1;
  let line = 1;
  /** The start of the current line and the end of the element so far, relative to `rest`. */
  let lineStart = 0;
  let end = 0;
  /** The nesting of brackets: 1 between the elements. */
  let depth = 0;
  let isFirst = true;
  let isString = false;
  let isEscaped = false;

  const refuse = (reason: string): never => {
    throw new OperatorError(
      `Line ${line}: ${reason} Nothing was written.`,
      'Check the file, or choose another --format.',
    );
  };

  return {
    push(text) {
      const records: TextRecord[] = [];
      const all = rest + text;
      let start = rest === '' ? -1 : 0;
      for (let index = rest.length; index < all.length; index++) {
        const code = all.charCodeAt(index);
        if (isString) {
          if (code === quote && !isEscaped) isString = false;
          isEscaped = code === backslash && !isEscaped;
          end = index + 1;
        } else if (isSpace(code)) {
          // White space belongs to the element only if more of it follows.
        } else if (depth === 0) {
          if (!isFirst) refuse('Something follows the end of the array.');
          if (code !== openBracket) refuse('A JSON array begins with a bracket.');
          depth = 1;
        } else if (depth === 1 && (code === comma || code === closeBracket || code === closeBrace)) {
          if (code === closeBrace) refuse('A comma is missing.');
          if (start !== -1)
            records.push({ line: startLine, column: startColumn, text: all.slice(start, end) });
          else if (code === comma || !isFirst) refuse('A pet is missing.');
          start = -1;
          isFirst = false;
          if (code === closeBracket) depth = 0;
        } else {
          if (start === -1) {
            start = index;
            startLine = line;
            startColumn = index - lineStart + 1;
          }
          if (code === quote) isString = true;
          else if (code === openBracket || code === openBrace) depth += 1;
          else if (code === closeBracket || code === closeBrace) depth -= 1;
          end = index + 1;
        }
        if (code === lineEnd) {
          line += 1;
          lineStart = index + 1;
        }
      }
      rest = start === -1 ? '' : all.slice(start);
      lineStart -= all.length - rest.length;
      end -= all.length - rest.length;
      refuseTooLong(rest.length, startLine);
      return records;
    },
    end() {
      if (depth > 0 || isFirst) refuse('The file ends before the array does.');
      return [];
    },
  };
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === lineEnd || code === 0x0d || code === 0x09;
}
