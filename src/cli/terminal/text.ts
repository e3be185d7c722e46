/**
 * Makes untrusted text safe to print on one line. Characters that move the cursor, change colours or reverse text are
 * escaped as in JSON, so JSON keeps its meaning.
 */
export function visible(text: string): string {
  return text.replace(unsafe, escape);
}

/** Like `visible`, for several lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** C0, DEL and C1, other line ends, and controls of text direction. */
const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Below this width, the terminal's own line breaks show more. */
const narrowest = 20;

/**
 * Breaks lines at words if the terminal is too narrow. A longer word stays whole, and so does an indented line, which
 * is there to be copied.
 */
export function wrapLines(text: string, { isTTY, columns }: NodeJS.WriteStream, indent = ''): string {
  const width = isTTY && columns ? columns - indent.length : 0;
  if (width < narrowest) return text;
  return text
    .split('\n')
    .map((line) => (line.startsWith('  ') ? line : Bun.wrapAnsi(line, width).replaceAll('\n', `\n${indent}`)))
    .join('\n');
}
