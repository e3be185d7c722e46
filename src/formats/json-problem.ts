import { printParseErrorCode, visit, type JSONVisitor } from 'jsonc-parser';

/** Where a text stops being JSON, for people. */
export interface JsonProblem {
  /** Both count from 1. */
  line: number;
  column: number;
  /** Such as `property name expected`. It never quotes the text, which may hold a secret. */
  reason: string;
}

/** Finds the first thing that makes a text invalid JSON. `JSON.parse` has refused it, but its message names no position. */
export function findJsonProblem(text: string): JsonProblem | undefined {
  let problem: JsonProblem | undefined;
  const onError: JSONVisitor['onError'] = (code, _offset, _length, line, column) => {
    problem ??= { line: line + 1, column: column + 1, reason: inWords(printParseErrorCode(code)) };
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    // The parser is recursive: brackets nested thousands deep exhaust the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  return problem;
}

/** `PropertyNameExpected` as words. */
function inWords(name: string): string {
  return name.replace(/\B[A-Z]/g, ' $&').toLowerCase();
}
