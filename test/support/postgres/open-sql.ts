import { parseAddress } from '../../../src/stores/postgres/address.ts';
import { createSql, type Sql, writerCount } from '../../../src/stores/postgres/sessions.ts';

/** The sessions of a store, without the store. */
export function openSqlAt(address: string): Sql {
  const parsed = parseAddress(address, {});
  return createSql(parsed, { readerCount: parsed.connectionLimit - writerCount });
}
