import type { Database } from 'bun:sqlite';
import { OperatorError } from '../../domain/error.ts';
import { definitions, otherSchema, schemaVersion } from '../schema.ts';

/** "pets" in ASCII. Marks a database file as ours, so that we never write to another program's. */
const applicationId = 0x70657473;

/** Refuses a database that is not ours, or of another version. An empty one may become a store. Only reads. */
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
}

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
