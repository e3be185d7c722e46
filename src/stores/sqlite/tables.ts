import type { Database } from 'bun:sqlite';
import type { StoreTables } from '../copy.ts';
import type { MakeOptions } from '../schema.ts';
import { openForReading } from './connect.ts';
import { callerError, isDamage, operatorError } from './errors.ts';
import { openForWriting } from './open-file.ts';
import { createStatements } from './statements.ts';
import { createTx, raiseLastId, readLastId } from './tx.ts';
import { confirmInPlace } from './watch.ts';

/** With `mayCreate`, makes a missing store; otherwise that is an error, and nothing can be written. */
export async function openSqliteTables({
  path,
  mayCreate,
  ...options
}: { path: string; mayCreate: boolean } & MakeOptions): Promise<StoreTables> {
  const { store, database } = mayCreate ? openForWriting(path, options) : openForReading(path);
  const tx = createTx(database);
  const { run } = createStatements(database);
  const attempt = async <Result>(use: () => Result): Promise<Result> => {
    try {
      const result = use();
      confirmInPlace(store);
      return result;
    } catch (error) {
      throw isDamage(error) ? operatorError(error, store.name) : callerError(error);
    }
  };
  const write = (work: () => void): Promise<void> => attempt(database.transaction(work).immediate);
  return {
    scan: (statement, values) => attempt(() => run(statement, values)),
    write: (work) => write(() => work(tx)),
    lastId: (table) => attempt(() => readLastId(database, table)),
    raiseLastId: (table, id) => write(() => raiseLastId(database, table, id)),
    close: async () => database.close(),
  };
}

/** Reads on this connection, at once. */
export function scanOf(database: Database): StoreTables['scan'] {
  const { run } = createStatements(database);
  return async (statement, values) => run(statement, values);
}
