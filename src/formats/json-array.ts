import { visit } from 'jsonc-parser';
import { OperatorError } from '../domain/error.ts';
import { findJsonProblem } from './json-problem.ts';
import type { Splitter } from './lines.ts';
import type { TextRecord } from './record.ts';

/** An array is held in memory whole. */
const maxArrayBytes = 32 * 1024 * 1024;

/** Collects a JSON array and returns its elements at the end. */
export function createArraySplitter(): Splitter {
  let text = '';
  let bytes = 0;
  return {
    push(piece) {
      text += piece;
      bytes += Buffer.byteLength(piece);
      if (bytes <= maxArrayBytes) return [];
      throw new OperatorError(
        'The JSON array is larger than 32 MiB. Nothing was written.',
        "Import NDJSON instead, one pet per line and as large as you like: jq -c '.[]' turns an array into it.",
      );
    },
    end: () => elementsOf(text),
  };
}

function elementsOf(text: string): TextRecord[] {
  if (!/^\s*\[/.test(text)) throw malformed('A JSON array begins with a bracket.');
  const problem = findJsonProblem(text);
  if (problem) throw malformed(`Line ${problem.line}, column ${problem.column}: ${problem.reason}.`);
  const records: TextRecord[] = [];
  const add = (line: number, start: number, end: number): void => {
    records.push({ line: line + 1, text: text.slice(start, end) });
  };
  let isInside = false;
  let element: { offset: number; line: number } | undefined;
  const begin = (offset: number, _length: number, line: number): boolean => {
    // The first bracket is the array's own; the content of an element is not visited.
    if (isInside) element = { offset, line };
    isInside = true;
    return element === undefined;
  };
  const end = (offset: number): void => {
    if (element) add(element.line, element.offset, offset + 1);
    element = undefined;
  };
  try {
    visit(text, {
      onArrayBegin: begin,
      onObjectBegin: begin,
      onArrayEnd: end,
      onObjectEnd: end,
      onLiteralValue: (_value, offset, length, line) => add(line, offset, offset + length),
    });
  } catch (error) {
    // The parser is recursive: thousands of nested brackets exhaust the stack.
    throw error instanceof RangeError ? malformed('The JSON array is nested too deeply.') : error;
  }
  return records;
}

function malformed(problem: string): OperatorError {
  return new OperatorError(`${problem} Nothing was written.`, 'Check the file, or choose another --format.');
}
