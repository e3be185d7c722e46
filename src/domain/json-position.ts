/** Where a text stops being JSON (RFC 8259), for people. */
export interface JsonProblem {
  /** Both count from 1; a column is a character. */
  line: number;
  column: number;
  /** What the grammar allows there, such as `"," or "}"`. */
  expected: string;
  /** What is there instead: a word, one character, or the end. Never more than a few characters of the text. */
  found: string;
}

/**
 * Finds the first character that makes a text invalid JSON; undefined if the text is valid. `JSON.parse` decides
 * whether a text is valid; this explains its refusal, because the runtime's own message may change with any release.
 */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const fault = findFault(text);
  if (fault === undefined) return undefined;
  const lines = text.slice(0, fault.at).split(/\r\n|\r|\n/);
  const column = Array.from(lines.at(-1) ?? '').length + 1;
  return { line: lines.length, column, expected: fault.expected, found: describeFound(text, fault.at) };
}

/** The offset of the first byte that is not UTF-8; undefined if all are. */
export function findUtf8Problem(bytes: Uint8Array): number | undefined {
  const repaired = Buffer.from(replacing.decode(bytes));
  let at = repaired.findIndex((byte, index) => byte !== bytes[index]);
  if (at === -1) return undefined;
  // The replacement character may begin like the bytes that it replaces; 10xxxxxx continues a character.
  while ((repaired[at] ?? 0) >> 6 === 2) at -= 1;
  return at;
}

interface Fault {
  at: number;
  expected: string;
}

type Expectation = 'value' | 'first' | 'name' | 'firstName' | 'colon' | 'more' | 'moreFields' | 'nothing';

/** What may follow, in words; what ends the array or object there; the only character that leads on, and to what. */
interface Rule {
  words: string;
  end?: string;
  separator?: string;
  then?: Expectation;
}

const grammar: Record<Expectation, Rule> = {
  value: { words: 'a value' },
  first: { words: 'a value or "]"', end: ']' },
  name: { words: 'a field name in double quotes' },
  firstName: { words: 'a field name in double quotes or "}"', end: '}' },
  colon: { words: '":"', separator: ':', then: 'value' },
  more: { words: '"," or "]"', end: ']', separator: ',', then: 'value' },
  moreFields: { words: '"," or "}"', end: '}', separator: ',', then: 'name' },
  nothing: { words: 'nothing more' },
};

/** Walks through the text without recursion: a hostile text may nest as deep as it is long. */
function findFault(text: string): Fault | undefined {
  /** The first bracket of each array and object that has not ended. */
  const open: string[] = [];
  const afterValue = (): Expectation => {
    const innermost = open.at(-1);
    if (innermost === undefined) return 'nothing';
    return innermost === '[' ? 'more' : 'moreFields';
  };
  let at = 0;
  let expectation: Expectation = 'value';

  for (;;) {
    at = matchEnd(whitespace, text, at);
    const character = text[at];
    const { words, end: closing, separator, then }: Rule = grammar[expectation];
    const fault = { at, expected: words };
    if (expectation === 'nothing') {
      return character === undefined ? undefined : fault;
    } else if (character === undefined) {
      return fault;
    } else if (character === closing) {
      open.pop();
      at += 1;
      expectation = afterValue();
    } else if (then !== undefined) {
      if (character !== separator) return fault;
      at += 1;
      expectation = then;
    } else if (expectation === 'name' || expectation === 'firstName') {
      const end = character === '"' ? endOfString(text, at) : fault;
      if (typeof end !== 'number') return end;
      at = end;
      expectation = 'colon';
    } else if (character === '{' || character === '[') {
      open.push(character);
      at += 1;
      expectation = character === '{' ? 'firstName' : 'first';
    } else {
      const end = character === '"' ? endOfString(text, at) : endOfWord(text, at, fault);
      if (typeof end !== 'number') return end;
      at = end;
      expectation = afterValue();
    }
  }
}

/** The end of the number or literal that begins here, or what is wrong with it. */
function endOfWord(text: string, at: number, noValue: Fault): number | Fault {
  const literalEnd = matchEnd(literal, text, at);
  if (literalEnd > at) return literalEnd;
  const end = matchEnd(beginningOfNumber, text, at);
  if (end === at) return noValue;
  return /\d/.test(text[end - 1] ?? '') ? end : { at: end, expected: 'a digit' };
}

function endOfString(text: string, start: number): number | Fault {
  for (let at = start + 1; ;) {
    at = matchEnd(plainCharacters, text, at);
    if (text[at] === '"') return at + 1;
    if (text[at] === undefined) return { at, expected: 'a closing double quote' };
    if (text[at] !== '\\') return { at, expected: 'an escape such as \\n for this character' };
    const end = matchEnd(escape, text, at);
    if (end === at) return { at: at + 1, expected: 'an escape such as \\n, \\" or \\u00e9' };
    at = end;
  }
}

const whitespace = /[ \t\r\n]+/y;
const literal = /(?:true|false|null)(?![\w$])/y;
/** A number up to the point where it breaks off: the last character of a whole one is a digit. */
const beginningOfNumber = /(?=[-\d])-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?/y;
/** Everything from the space on, but neither quote nor backslash. */
const plainCharacters = /[ !#-[\]-\u{10ffff}]+/uy;
const escape = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;

/** Where a sticky expression that matches here ends; the same place if it does not match. */
function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

const word = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const maxWordLength = 12;
const visible = /^[\p{L}\p{N}\p{P}\p{S}]$/u;

function describeFound(text: string, at: number): string {
  const code = text.codePointAt(at);
  if (code === undefined) return 'the end';
  const wordEnd = matchEnd(word, text, at);
  if (wordEnd > at) {
    const found = text.slice(at, wordEnd);
    return found.length > maxWordLength ? `"${found.slice(0, maxWordLength)}…"` : `"${found}"`;
  }
  const character = String.fromCodePoint(code);
  if (character === '"') return 'a double quote';
  if (visible.test(character)) return `"${character}"`;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return code === 0xfeff ? `a byte order mark (${name})` : name;
}

const replacing = new TextDecoder('utf-8', { ignoreBOM: true });
