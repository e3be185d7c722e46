import { visible } from './visible.ts';

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
