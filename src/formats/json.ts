import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { OperatorError } from '../domain/error.ts';
import { parseExactJson } from '../domain/int64.ts';
import { isJsonObject, type Pet, renderPet } from '../domain/pet.ts';
import { type ParsedRecord, quoteText, readPet, refuse, type Splitter, type TextRecord } from './record.ts';

/** Reads a pet from JSON by the rules of the API. */
export function readJsonPet(record: TextRecord, keepsIds: boolean): ParsedRecord {
  const { text } = record;
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    const problem = findJsonProblem(text);
    const where = problem ? ` at column ${problem.column}: ${problem.reason}` : `: ${quoteText(text)}`;
    return refuse(record, `This is not JSON${where}.`);
  }
  if (isJsonObject(value)) return readPet(record, value, keepsIds);
  return refuse(record, 'A pet is a JSON object with the fields name and categoryId.');
}

/** A pet as one line of JSON, exactly as the service sends it. */
export function petLine(pet: Pet): string {
  return renderPet(pet.id, pet);
}

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

/** The position where a text stops being JSON, for people. */
export interface JsonProblem {
  /** Both count from 1. */
  line: number;
  column: number;
  /** For example `property name expected`. It never quotes the text, which may contain a secret. */
  reason: string;
}

/** Finds the first error in a text that `JSON.parse` has refused, because its message names no position. */
export function findJsonProblem(text: string): JsonProblem | undefined {
  let problem: JsonProblem | undefined;
  const onError: JSONVisitor['onError'] = (code, _offset, _length, line, column) => {
    problem = { line: line + 1, column: column + 1, reason: inWords(printParseErrorCode(code)) };
    // The parser would go on, and a text full of errors takes long.
    throw new Error(problem.reason);
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    // The parser is recursive: thousands of nested brackets exhaust the stack.
    if (!problem && !(error instanceof RangeError)) throw error;
  }
  return problem;
}

/** Turns `PropertyNameExpected` into words. */
function inWords(name: string): string {
  return name.replace(/\B[A-Z]/g, ' $&').toLowerCase();
}
