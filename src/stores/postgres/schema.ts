import { OperatorError } from '../../domain/error.ts';
import {
  definitions,
  type FoundColumn,
  type MakeOptions,
  otherSchema,
  ownTables,
  refuseOtherTables,
  schemaVersion,
} from '../schema.ts';
import type { PostgresAddress } from './address.ts';
import { onSession } from './errors.ts';
import { refuseReader } from './rights.ts';
import type { Session } from './session.ts';

/** "pets" in ASCII. One replica makes the tables under this lock while the others wait. */
const schemaLock = 0x70657473;
/** Long enough for twenty replicas that start together. */
const timeouts = { lockMs: 60_000, statementMs: 60_000, silenceMs: 61_000 };

export interface PrepareOptions extends MakeOptions {
  /** For commands that only read. */
  isReadOnly?: boolean;
}

/**
 * Makes the tables in an empty database, and refuses any other that is not a store of this version. Any number of
 * replicas may start together, and any of them may be killed.
 */
export function prepareDatabase(
  address: PostgresAddress,
  { mayCreate = true, isReadOnly = false, onMade }: PrepareOptions,
): Promise<void> {
  return onSession({ address, timeouts }, async (session) => {
    await refuseOtherEncodings(session);
    if (!isReadOnly) await refuseReader(session);
    if (!(await isWithoutSchema(session))) return;
    if (!mayCreate) throw new OperatorError('The database holds no store.', 'Check the address.');
    if (await makeSchema(session)) onMade?.();
  });
}

/** Returns false if another replica has made the tables. */
async function makeSchema(session: Session): Promise<boolean> {
  // At a stricter level, the snapshot would be from before the wait for the lock.
  await session.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  await session.query('SELECT pg_advisory_xact_lock($1)', [schemaLock]);
  const isMissing = await isWithoutSchema(session);
  if (isMissing) await session.query(definitions.postgres);
  await session.query('COMMIT');
  return isMissing;
}

/** Fails if the schema has another version, or tables that are not those of this one. */
export async function isWithoutSchema(session: Session): Promise<boolean> {
  // to_regclass() would use the session's cache and miss a table created while it waited.
  const [table] = await session.query(
    "SELECT 1 AS found FROM pg_tables WHERE schemaname = ANY (current_schemas(false)) AND tablename = 'petstore_schema'",
  );
  if (!table) return true;
  const [row] = await session.query<{ version: number }>('SELECT version FROM petstore_schema');
  const version = row?.version ?? 0;
  if (version !== schemaVersion) throw otherSchema('The database', version);
  refuseOtherTables('the database', await session.query<FoundColumn>(selectColumns, [ownTables]), typeNames);
  return false;
}

const typeNames = { bigint: 'bigint', text: 'text', boolean: 'boolean' };

/** A view is no table; a partitioned table is. */
const selectColumns = `
  SELECT relname AS "table", attname AS "column",
    format_type(atttypid, atttypmod) || CASE attgenerated WHEN '' THEN '' ELSE ' GENERATED' END AS type
  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
  WHERE pg_class.oid = ANY (SELECT to_regclass(name) FROM unnest($1::text[]) AS name)
    AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped`;

/** Any other encoding would reject or change names. */
export async function refuseOtherEncodings(session: Session): Promise<void> {
  const [row] = await session.query<{ server_encoding: string }>('SHOW server_encoding');
  if (row?.server_encoding === 'UTF8') return;
  throw new OperatorError(
    `The database has the encoding ${row?.server_encoding}, and names need UTF8.`,
    "Make another one: CREATE DATABASE shop ENCODING 'UTF8' TEMPLATE template0.",
  );
}
