import { parseAddress } from '../../../src/postgres/address.ts';
import { createSessions } from '../../../src/postgres/sessions/sessions.ts';
import { createSql, writerCount, type Sql } from '../../../src/postgres/sql.ts';

/** The sessions of a store, without the store. */
export function openSqlAt(address: string): Sql {
  const parsed = parseAddress(address, {});
  return createSql(createSessions(parsed), { readerCount: parsed.connectionLimit - writerCount });
}
