import { int64Range } from '../../domain/int64.ts';
import { pageOf, type Page, type PageRequest } from '../../domain/pet.ts';
import type { Database } from '../database.ts';
import { petColumns, petJsonOf, type PetRow } from './pet-row.ts';

export type Reader = Pick<Database, 'read'>;

const selectPage = {
  name: 'select-page',
  text: `SELECT ${petColumns} FROM pets WHERE id > $1::bigint ORDER BY id LIMIT $2::integer`,
};
// Not `status = $3 ORDER BY id`: for that the server may walk through all pets, until it has met enough of a status
// that hardly any has. This order, within these bounds, is that of the index by status alone.
const selectPageOfStatus = {
  name: 'select-page-of-status',
  text: `SELECT ${petColumns} FROM pets
    WHERE status IS NOT NULL AND (status, id) > ($3, $1::bigint) AND (status, id) <= ($3, ${int64Range.largest})
    ORDER BY status, id LIMIT $2::integer`,
};

export async function readPage(
  database: Reader,
  { limit, status, after = int64Range.smallest }: PageRequest,
): Promise<Page> {
  const bounds = [String(after), limit + 1];
  const rows =
    status === undefined
      ? await database.read<PetRow>(selectPage, bounds)
      : await database.read<PetRow>(selectPageOfStatus, [...bounds, status]);
  return pageOf(rows, limit, petJsonOf);
}
