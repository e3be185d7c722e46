import type { PostgresAddress } from '../address.ts';
import type { Session } from '../session/connection.ts';
import type { Dialect } from './dialect.ts';
import { native } from './native.ts';
import { portable } from './portable.ts';

/**
 * The dialect that the address names; otherwise what the server says of itself in `version()`: "CockroachDB CCL v24.3.1 …",
 * "PostgreSQL 15.2-YB-2025.1.0.0-b1 …". Everything else counts as PostgreSQL.
 */
export async function chooseDialect(session: Session, address: PostgresAddress): Promise<Dialect> {
  if (address.dialect === 'portable') return portable;
  if (address.dialect === 'postgres') return native;
  const [row] = await session.query<{ version: string }>('SELECT version() AS version');
  return onlySpeaksProtocol(row?.version ?? '') ? portable : native;
}

function onlySpeaksProtocol(version: string): boolean {
  return version.startsWith('CockroachDB') || /^PostgreSQL [\d.]+-YB-/.test(version);
}
