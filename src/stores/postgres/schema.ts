import { OperatorError } from '../../domain/error.ts';
import type { MakeOptions } from '../create-store.ts';
import {
  definitions,
  type Column,
  otherSchema,
  tableNames,
  refuseOtherTables,
  schemaVersion,
} from '../schema.ts';
import { refuseReader } from './rights.ts';
import type { Send } from './session.ts';
import type { Sql } from './sql.ts';

/**
 * Makes the tables in an empty database, and refuses any other that is not a store of this version. Any number of
 * replicas may start together, and any of them may be killed.
 */
export async function prepareDatabase(sql: Sql, { mayCreate = true, onMade }: MakeOptions): Promise<void> {
  await refuseOtherEncodings(sql.read);
  if (mayCreate) await refuseReader(sql.read);
  if (!(await isWithoutSchema(sql.read))) return;
  if (!mayCreate) throw new OperatorError('The database holds no store.', 'Check the address.');
  if (await sql.write(makeSchema)) onMade?.();
}

/** "pets" in ASCII. One replica makes the tables under this lock while the others wait. */
const schemaLock = 0x70657473;

/** Returns false if another replica has made the tables. */
async function makeSchema(send: Send): Promise<boolean> {
  await send('SELECT pg_advisory_xact_lock($1)', [schemaLock]);
  const isMissing = await isWithoutSchema(send);
  if (isMissing) await send(definitions.postgres);
  return isMissing;
}

/** Makes the tables and undoes that: fails where a start would. Returns false if a replica has made them meanwhile. */
export function tryToMakeSchema(sql: Sql): Promise<boolean> {
  return sql.write(async (send) => {
    await send('SAVEPOINT empty');
    const isMissing = await makeSchema(send);
    await send('ROLLBACK TO SAVEPOINT empty');
    return isMissing;
  });
}

/** Fails if the schema has another version, or tables that are not those of this one. */
export async function isWithoutSchema(send: Send): Promise<boolean> {
  // to_regclass() would use the session's cache and miss a table created while it waited.
  const [table] = await send(
    "SELECT FROM pg_tables WHERE schemaname = ANY (current_schemas(false)) AND tablename = 'petstore_schema'",
  );
  if (!table) return true;
  const [row] = await send<{ version: number }>('SELECT version FROM petstore_schema');
  const version = row?.version ?? 0;
  if (version !== schemaVersion) throw otherSchema('The database', version);
  refuseOtherTables('the database', await send<Column>(selectColumns, [tableNames]), typeNames);
  return false;
}

const typeNames = { bigint: 'bigint', text: 'text', boolean: 'boolean' };

/** Leaves out views, and accepts partitioned tables. */
const selectColumns = `
  SELECT relname AS "table", attname AS "column",
    format_type(atttypid, atttypmod) || CASE attgenerated WHEN '' THEN '' ELSE ' GENERATED' END AS type
  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
  WHERE pg_class.oid = ANY (SELECT to_regclass(name) FROM unnest($1::text[]) AS name)
    AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped`;

/** Any other encoding would reject or change names. */
export async function refuseOtherEncodings(send: Send): Promise<void> {
  const [row] = await send<{ server_encoding: string }>('SHOW server_encoding');
  if (row?.server_encoding === 'UTF8') return;
  throw new OperatorError(
    `The database has the encoding ${row?.server_encoding}, and names need UTF8.`,
    "Make another one: CREATE DATABASE shop ENCODING 'UTF8' TEMPLATE template0.",
  );
}
