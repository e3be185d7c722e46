import { visible } from './visible.ts';

/** Aligns rows of cells in columns for a terminal. */
export function renderTable(rows: string[][]): string {
  const shown = rows.map((row) => row.map(visible));
  const widths = (shown[0] ?? []).map((_, column) =>
    Math.max(...shown.map((row) => Bun.stringWidth(row[column] ?? ''))),
  );
  const pad = (cell: string, column: number) =>
    cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell));
  return shown.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}
