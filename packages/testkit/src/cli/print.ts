export function print(text: string): void {
  process.stdout.write(text.split('\n').map(visible).join('\n'));
}

export function printJson(value: unknown): void {
  print(`${JSON.stringify(value, null, 2)}\n`);
}

/** C0, DEL and C1, other line ends, and controls of text direction. */
const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Makes a service's text safe to print on one line: characters that would move the cursor are escaped as in JSON. */
export function visible(text: string): string {
  return text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Aligns rows of cells in columns. */
export function renderTable(rows: string[][]): string {
  const cells = rows.map((row) => row.map(visible));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0);
  return cells.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}

/** `1 pet`, `2,000 pets`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
