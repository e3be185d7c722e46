/** Requests and responses as text, for the renderer of the docs and for the browser. */

/** The address in the examples. The docs show that of the service instead. */
export const exampleAddress = 'http://127.0.0.1:8080';

/** As the value of a header, a UUID that a sample makes each time it runs: no two readers send the same key. */
export const newUuid = '$(uuidgen)';

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
  const command = `curl ${isImplied ? '' : `-X ${method} `}-H "Authorization: Bearer $API_KEY"`;
  const lines = [command];
  for (const [name, value] of headers)
    lines.push(`-H ${value === newUuid ? `"${name}: ${value}"` : quote(`${name}: ${value}`)}`);
  // After `-d`, curl would read a file that the text names after an `@`.
  if (body !== undefined) lines.push(`${body.startsWith('@') ? '--data-raw' : '-d'} ${quote(body)}`);
  const address = base + path;
  lines.push(/^[\w.:/-]+$/.test(address) ? address : quote(address));
  return lines.join(' \\\n  ');
}

/** One word for any POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export type Language = 'shell' | 'typescript' | 'python' | 'json' | 'text';

interface Token {
  /** Undefined for what has no colour. */
  kind: string | undefined;
  text: string;
}

/** Splits code into the parts that get a colour. Small on purpose: it knows what the samples use, and no more. */
export function tokensOf(text: string, language: Language): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(patterns[language])) {
    if (match.index > end) tokens.push({ kind: undefined, text: text.slice(end, match.index) });
    const [kind] = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined) ?? [];
    tokens.push({ kind, text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) tokens.push({ kind: undefined, text: text.slice(end) });
  return tokens;
}

const keywords =
  'as async await catch const else export false for from function if import instanceof let new null of return throw true try type undefined while';

const patterns: Record<Language, RegExp> = {
  json: /(?<name>"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*:))|(?<string>"[^"\\]*(?:\\.[^"\\]*)*")|(?<number>-?\b\d[\d.eE+-]*)|(?<keyword>\b(?:true|false|null)\b)/g,
  typescript: new RegExp(
    [
      String.raw`(?<comment>\/\/.*)`,
      '(?<string>\'[^\'\\n]*\'|"[^"\\n]*"|`[^`]*`)',
      String.raw`(?<keyword>\b(?:${keywords.replaceAll(' ', '|')})\b)`,
      String.raw`(?<number>\b\d[\d_]*n?\b)`,
      String.raw`(?<name>\b\w+(?=\())`,
    ].join('|'),
    'g',
  ),
  python:
    /(?<comment>#.*)|(?<string>[fr]?'[^'\n]*'|[fr]?"[^"\n]*")|(?<keyword>\b(?:as|except|False|for|from|import|in|None|True|try|while|with)\b)|(?<number>\b\d+\b)|(?<name>\b\w+(?=\())/g,
  shell:
    /(?<string>'[^']*'|"[^"]*")|(?<keyword>\b(?:curl|npm|petstore)\b(?= ))|(?<name>(?<=\s)--?[A-Za-z][\w-]*)/g,
  text: /(?!)/g,
};

/** Indents JSON without reading its numbers, so that every digit stays. Anything else is returned as it is. */
export function indentJson(text: string): string {
  if (!isJson(text)) return text;
  let depth = 0;
  const lineEnd = () => `\n${'  '.repeat(depth)}`;
  return text.replace(token, (found) => {
    if (found.startsWith('"')) return found;
    if (/^[{[]\s*[}\]]$/.test(found)) return found.charAt(0) + found.slice(-1);
    if (found === '{' || found === '[') {
      depth += 1;
      return found + lineEnd();
    }
    if (found === '}' || found === ']') {
      depth -= 1;
      return lineEnd() + found;
    }
    if (found === ',') return found + lineEnd();
    return found === ':' ? ': ' : '';
  });
}

/** Matches whole strings, so that brackets and spaces inside them stay as they are. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g;

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
