import { OperatorError } from '../../domain/error.ts';
import { type CheckedStore, type CheckOptions, checkRows } from '../check.ts';
import { parseAddress } from './address.ts';
import { onSession } from './errors.ts';
import { refuseReader, warnOfOthers } from './rights.ts';
import { isWithoutSchema, refuseOtherEncodings } from './schema.ts';
import { openPostgresTables } from './tables.ts';

const timeouts = { lockMs: 2000, statementMs: 10_000, silenceMs: 11_000 };

/** Reads a whole store as a start would find it, and changes nothing. */
export async function checkPostgres({
  address,
  environment,
  log,
  report,
}: CheckOptions & { address: string }): Promise<CheckedStore> {
  const start = { address: parseAddress(address, environment), timeouts };
  const { engine, isNew } = await onSession(start, async (session) => {
    await refuseOtherEncodings(session);
    await refuseReader(session);
    const isMissing = await isWithoutSchema(session);
    if (!isMissing) await warnOfOthers(session.query, log);
    const [row] = await session.query<{ server_version: string }>('SHOW server_version');
    return { engine: `PostgreSQL ${row?.server_version}`, isNew: isMissing };
  });
  if (isNew) return { engine, content: undefined };
  const tables = await openPostgresTables({ address, environment, mayCreate: false });
  try {
    return { engine, content: await checkRows(tables, { report, damaged }) };
  } finally {
    await tables.close();
  }
}

function damaged(row: string): OperatorError {
  return new OperatorError(`The database is damaged at ${row}.`, 'Restore it with the tools of the server.');
}
