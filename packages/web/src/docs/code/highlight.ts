/** Splits code into the parts that get a colour. Small on purpose: it knows what the samples use, and no more. */

export type Language = 'shell' | 'typescript' | 'python' | 'json' | 'text';

export interface Token {
  /** Undefined for what has no colour. */
  kind: string | undefined;
  text: string;
}

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
