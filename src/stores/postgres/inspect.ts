import { OperatorError } from '../../domain/error.ts';
import type { Report } from '../../system/progress.ts';
import { checkRows, emptyStore, type StoreContent } from '../check.ts';
import { type Environment, parseAddress } from './address.ts';
import { onSession } from './errors.ts';
import { problemOfRights } from './rights.ts';
import { isWithoutSchema } from './schema.ts';
import { openPostgresTables } from './tables.ts';

export interface PostgresInspection {
  /** Of the server. */
  version: string;
  content: StoreContent;
  /** True if there is no store yet. */
  isNew: boolean;
  /** Why the role may not serve, or not make the tables if there are none. */
  problemOfRights: OperatorError | undefined;
}

const timeouts = { lockMs: 2000, statementMs: 10_000, silenceMs: 11_000 };

const selectServer = `SELECT current_setting('server_version') AS version,
  has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate"`;

/** Reads a whole store without changing it. Fails with the service's own error. */
export async function inspectPostgres(
  address: string,
  environment: Environment,
  report: Report,
): Promise<PostgresInspection> {
  const { version, ...state } = await onSession(
    { address: parseAddress(address, environment), timeouts },
    async (session) => {
      const isNew = await isWithoutSchema(session);
      const [row] = await session.query<{ version: string; mayCreate: boolean }>(selectServer);
      if (!row) throw new Error('The server says nothing about itself.');
      const problem = isNew && !row.mayCreate ? mayNotCreate : await problemOfRights(session);
      return { version: row.version, isNew, problemOfRights: problem };
    },
  );
  if (state.isNew || state.problemOfRights) return { version, content: emptyStore, ...state };
  const tables = await openPostgresTables({ address, environment, mayCreate: false });
  try {
    const content = await checkRows(tables, { now: Date.now(), report, damaged });
    return { version, content, ...state };
  } finally {
    await tables.close();
  }
}

function damaged(row: string): OperatorError {
  return new OperatorError(`The database is damaged at ${row}.`, 'Restore it with the tools of the server.');
}

const mayNotCreate = new OperatorError(
  'The role may not make the tables.',
  'Run petstore migrate once with a role that may.',
);
