import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';

/** The position where a text stops being JSON, for people. */
export interface JsonProblem {
  /** Both count from 1. */
  line: number;
  column: number;
  /** For example `property name expected`. It never quotes the text, which may contain a secret. */
  reason: string;
}

/** Finds the first error in a text that `JSON.parse` has refused, whose message does not give the position. */
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
