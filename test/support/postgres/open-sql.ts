import { parseAddress } from '../../../src/stores/postgres/address.ts';
import { createSessions } from '../../../src/stores/postgres/sessions/sessions.ts';
import { createSql, writerCount, type Sql } from '../../../src/stores/postgres/sql.ts';

/** The sessions of a store, without the store. */
export function openSqlAt(address: string): Sql {
  const parsed = parseAddress(address, {});
  return createSql(createSessions(parsed), { readerCount: parsed.connectionLimit - writerCount });
}
