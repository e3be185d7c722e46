import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { parseExactJson } from '../domain/int64.ts';
import { isJsonObject } from '../domain/pet.ts';
import { type ParsedRecord, quoteText, readPet, refuse, type TextRecord } from './record.ts';

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
