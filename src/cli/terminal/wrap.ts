/** What is known of a stream that may be a terminal. */
interface Stream {
  isTTY?: boolean;
  columns?: number;
}

/** A terminal as narrow as this shows more of a line that it breaks itself. */
const narrowest = 20;

/**
 * Breaks lines at words where a terminal is too narrow for them. A longer word stays whole, and so does an indented
 * line, which is there to be copied.
 */
export function wrapLines(text: string, { isTTY, columns }: Stream, indent = ''): string {
  const width = isTTY && columns ? columns - indent.length : 0;
  if (width < narrowest) return text;
  return text
    .split('\n')
    .map((line) => (line.startsWith('  ') ? line : Bun.wrapAnsi(line, width).replaceAll('\n', `\n${indent}`)))
    .join('\n');
}
