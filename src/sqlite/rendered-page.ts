import type { Page } from '../domain/pet.ts';
import { idOf } from './stored-pet.ts';

/** The page that these rows make. One row more than `limit` shows that another page follows. */
export function renderPage<Row>(rows: readonly Row[], limit: number, render: (row: Row) => string): Page {
  const shown = rows.slice(0, limit).map(render);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { json: `[${shown.join(',')}]`, ...(last !== undefined && { next: idOf(last) }) };
}
