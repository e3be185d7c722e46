/** Columns of text for a terminal, the first row being the headings. */
export function renderTable(rows: string[][]): string {
  const shown = rows.map((row) => row.map(visible));
  const widths = (shown[0] ?? []).map((_, column) =>
    Math.max(...shown.map((row) => Bun.stringWidth(row[column] ?? ''))),
  );
  const pad = (cell: string, width = 0) => cell + ' '.repeat(width - Bun.stringWidth(cell));
  return shown
    .map(
      (row) =>
        `${row
          .map((cell, column) => pad(cell, widths[column]))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** A name is anybody's text: nothing in it may move the cursor, change colours or turn the line around. */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
