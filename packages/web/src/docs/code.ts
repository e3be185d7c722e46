/** Requests and responses as text, for the renderer of the docs and for the browser. */

/** The address in the examples. The docs show that of the service instead. */
export const exampleAddress = 'http://127.0.0.1:8080';

/** A request as the samples and "Copy as curl" show it. The key is never part of it. */
export interface ApiRequest {
  method: string;
  /** With its parameters and its query filled in. */
  path: string;
  headers: [name: string, value: string][];
  body?: string | undefined;
}

export function renderCurl({ method, path, headers, body }: ApiRequest, base = exampleAddress): string {
  // With a body, curl sends POST; without one, GET.
  const isImplied = method === (body === undefined ? 'GET' : 'POST');
  const lines = [`curl ${isImplied ? '' : `-X ${method} `}-H "Authorization: Bearer $API_KEY"`];
  for (const [name, value] of headers) lines.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined) lines.push(`-d ${quote(body)}`);
  const address = base + path;
  lines.push(/^[\w.:/-]+$/.test(address) ? address : quote(address));
  return lines.join(' \\\n  ');
}

/** One word for any POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

interface Token {
  /** Undefined for what has no colour. */
  kind: string | undefined;
  text: string;
}

/** Splits code into the parts that get a colour: JSON, curl and TypeScript, as far as the samples use them. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(coloured)) {
    if (match.index > end) tokens.push({ kind: undefined, text: text.slice(end, match.index) });
    const [kind] = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined) ?? [];
    tokens.push({ kind, text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) tokens.push({ kind: undefined, text: text.slice(end) });
  return tokens;
}

const coloured = new RegExp(
  [
    String.raw`(?<comment>(?<!:)\/\/.*)`,
    // A field of JSON, an option of a command, a call.
    String.raw`(?<name>"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*:)|(?<=\s)--?[A-Za-z][\w-]*|\b\w+(?=\())`,
    String.raw`(?<string>'[^']*'|"[^"\\]*(?:\\.[^"\\]*)*"|${'`[^`]*`'})`,
    String.raw`(?<keyword>\b(?:await|catch|const|curl|else|false|for|from|if|import|null|of|throw|true|try)\b)`,
    String.raw`(?<number>(?<![\w.:-])-?\d+n?(?![\w.:-]))`,
  ].join('|'),
  'g',
);

// TypeScript's library does not declare it yet.
const { rawJSON } = JSON as typeof JSON & { rawJSON: (text: string) => unknown };

/** Indents JSON and keeps every digit of its numbers. Anything else is returned as it is. */
export function indentJson(text: string): string {
  const keepDigits = (_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' ? rawJSON(source) : value;
  try {
    return JSON.stringify(JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown), null, 2);
  } catch {
    // A browser from before 2025 cannot keep the digits, and shows the text as it came.
    return text;
  }
}
