import { isScan, type Page, pageOf, type SearchRequest } from '../../store.ts';
import type { Statement } from '../session.ts';
import { createSharedRead } from '../shared-read.ts';
import type { Sql } from '../sessions.ts';
import type { PageReader } from './pages.ts';
import { petJsonOf, type PetRow, selectPetRow } from './pet-row.ts';

/** Searches use an index where there is one; the others run on their own session. */
export function createSearch(sql: Sql, readPage: PageReader): (request: SearchRequest) => Promise<Page> {
  const share = createSharedRead<Page>();

  return ({ sort = 'newest', ...given }) => {
    const request = { sort, ...given };
    if (request.id === undefined && !isScan(request)) return readPage(request);
    const { statement, values } = searchStatement(request);
    return share(JSON.stringify(values) + statement.text, async () => {
      const rows = isScan(request)
        ? await sql.search<PetRow>(statement, values)
        : await sql.read<PetRow>(statement, values);
      return pageOf(rows, request.limit, petJsonOf);
    });
  };
}

/** The statement has no name, because there are too many kinds to keep a plan for each. */
function searchStatement(request: SearchRequest): { statement: Statement; values: string[] } {
  const { limit, words = [], id, categoryId, status, sort, after } = request;
  const values: string[] = [];
  const conditions: string[] = [];
  const add = (value: { toString(): string } | undefined, say: (parameter: string) => string): void => {
    if (value !== undefined) conditions.push(say(`$${values.push(String(value))}`));
  };
  add(id, (parameter) => `id = ${parameter}::bigint`);
  add(categoryId, (parameter) => `category_id = ${parameter}::bigint`);
  add(status, (parameter) => `status = ${parameter}`);
  add(after, (parameter) => `id ${sort === 'newest' ? '<' : '>'} ${parameter}::bigint`);
  for (const word of words)
    add(`%${word.replace(/[\\%_]/g, '\\$&')}%`, (parameter) => `folded_name LIKE ${parameter}`);
  const text = `SELECT ${selectPetRow} FROM pets WHERE ${conditions.join(' AND ')}
    ORDER BY pets.id ${sort === 'newest' ? 'DESC' : ''} LIMIT ${limit + 1}`;
  return { statement: { text }, values };
}
