import type { Database } from 'bun:sqlite';
import { OperatorError } from '../../domain/error.ts';
import {
  definitions,
  type Column,
  otherSchema,
  tableNames,
  refuseOtherTables,
  schemaVersion,
} from '../schema.ts';

/** "pets" in ASCII. Marks a database file as ours, so that we never write to another program's. */
const applicationId = 0x70657473;

/**
 * Refuses a database that is not ours, has another version, or has a view in the place of a table or a trigger on one.
 * An empty database may become a store. Only reads.
 */
export function checkOwnership(database: Database, name: string): void {
  if (isWithoutSchema(database)) return;
  if (readPragma(database, 'application_id') !== applicationId) {
    throw new OperatorError(
      `${name} is a SQLite database of another program.`,
      'Choose another file with --database-url.',
    );
  }
  const version = readPragma(database, 'user_version');
  if (version !== schemaVersion) throw otherSchema(name, version);
  refuseOtherTables(name, database.query<Column, []>(selectColumns).all(), typeNames);
  const trigger = database.query<{ name: string; place: string }, []>(selectTriggers).get();
  if (trigger)
    throw new OperatorError(
      `${name} has a trigger on the table ${trigger.place}: ${trigger.name}.`,
      'Find out who made it, and remove it with DROP TRIGGER, or use another store or backup.',
    );
}

const typeNames = { bigint: 'INTEGER', text: 'TEXT', boolean: 'INTEGER' };

const ownNames = tableNames.map((table) => `'${table}'`).join(', ');
/** A generated column is computed by an expression, and so never ours. SQLite ignores the case of names. */
const selectColumns = `
  SELECT lower(sqlite_schema.name) AS "table", columns.name AS "column",
    columns.type || iif(columns.hidden = 0, '', ' GENERATED') AS type
  FROM sqlite_schema, pragma_table_xinfo(sqlite_schema.name) AS columns
  WHERE sqlite_schema.type = 'table' AND lower(sqlite_schema.name) IN (${ownNames})`;
const selectTriggers = `
  SELECT name, lower(tbl_name) AS place FROM sqlite_schema
  WHERE type = 'trigger' AND lower(tbl_name) IN (${ownNames}) ORDER BY name LIMIT 1`;

/** Makes the tables in an empty database. Returns false if they are there. */
export function makeSchema(database: Database): boolean {
  if (!isWithoutSchema(database)) return false;
  const make = database.transaction(() => {
    // Another process may have made them while this one waited for the lock.
    if (!isWithoutSchema(database)) return false;
    database.run(definitions.sqlite);
    database.run(`PRAGMA application_id = ${applicationId}`);
    database.run(`PRAGMA user_version = ${schemaVersion}`);
    return true;
  });
  return make.immediate();
}

/** Whether a database is still empty. */
export function isWithoutSchema(database: Database): boolean {
  return readPragma(database, 'schema_version') === 0;
}

export function readPragma(database: Database, name: string): number {
  const [value] = Object.values(database.query(`PRAGMA ${name}`).get() as Record<string, number>);
  return value ?? 0;
}
