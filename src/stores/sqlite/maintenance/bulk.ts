import type { Database } from 'bun:sqlite';
import { OperatorError } from '../../../domain/error.ts';
import { parseExactJson } from '../../../domain/int64.ts';
import { parseNewPet, type Pet } from '../../../domain/pet.ts';
import type { BulkStore, BulkTable, LastIds } from '../../bulk.ts';
import type { MakeOptions } from '../../schema.ts';
import { type ColumnValue, idempotencyTable, keyTable } from '../../tables.ts';
import { openForReading } from '../connect.ts';
import { damaged, operatorError, isDamage, callerError } from '../errors.ts';
import type { StoreFile } from '../file.ts';
import { untilNoticed } from '../freshness.ts';
import { openForWriting } from '../open-file.ts';
import {
  beginLog,
  type CheckedForm,
  createInsert,
  isIntact,
  raiseLastIds,
  readLastIds,
  type RenderedPet,
  selectColumns,
  selectStoredPet,
  storedCategories,
  storedOrders,
  storedPets,
} from '../rows.ts';
import { isWithoutSchema } from '../schema.ts';
import { whileInPlace } from '../watch.ts';

/** With `mayCreate`, makes a missing store; otherwise it is an error. */
export async function openSqliteBulk(
  options: { path: string; mayCreate: boolean } & MakeOptions,
): Promise<BulkStore> {
  const { path, mayCreate } = options;
  const { store, database } = mayCreate ? openForWriting(path, options) : openForReading(path);
  const attempt = createAttempt(store);
  try {
    if (isWithoutSchema(database)) throw new OperatorError(`${path} holds no store.`, 'Check the path.');
    const table = createTableMaker(database, path, attempt);
    const raise = database.transaction((ids: LastIds) => raiseLastIds(database, ids));
    const begin = database.transaction(() => beginLog(database));
    return {
      pets: table(petTable, selectStoredPet),
      keys: table(keyTable),
      orders: table(storedOrders),
      categories: table(storedCategories),
      idempotencyRecords: table(idempotencyTable),
      lastIds: () => attempt(() => readLastIds(database)),
      raiseLastIds: (ids) => attempt(() => raise.immediate(ids)),
      beginLog: () => attempt(() => begin.immediate()),
      async close() {
        database.close();
        await untilNoticed();
      },
    };
  } catch (error) {
    database.close();
    throw operatorError(error, path);
  }
}

type Attempt = <Result>(use: () => Result) => Promise<Result>;

/** Runs a read or a transaction while the store is in its place. */
function createAttempt(store: StoreFile): Attempt {
  return async (use) => {
    try {
      return whileInPlace(store, use);
    } catch (error) {
      throw isDamage(error) ? operatorError(error, store.name) : callerError(error);
    }
  };
}

function createTableMaker(database: Database, path: string, attempt: Attempt) {
  return <Row, Stored>(form: CheckedForm<Row, Stored>, select = selectColumns(form)): BulkTable<Row> => {
    const { name, keyLength, valuesOf } = form;
    const key = Object.keys(form.columns).slice(0, keyLength);
    const count = database.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${name}`);
    const selectAfter = (where: string) =>
      database.query<Stored, ColumnValue[]>(
        `SELECT ${select} FROM ${name} ${where} ORDER BY ${key.map((column) => `${name}.${column}`).join(', ')} LIMIT ?`,
      );
    const first = selectAfter('');
    const next = selectAfter(`WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`);
    const insert = createInsert(database, form);
    const insertAll = database.transaction((rows: readonly Row[]) => insert(rows.map(valuesOf)));
    const read = (after: Row | undefined, limit: number): Stored[] =>
      after === undefined ? first.all(limit) : next.all(...valuesOf(after).slice(0, keyLength), limit);
    const parse = (stored: Stored): Row => {
      const row = form.parse(stored);
      if (row === undefined) throw damaged(path);
      return row;
    };
    return {
      count: () => attempt(() => count.get()?.count ?? 0),
      read: (after, limit) => attempt(() => read(after, limit).map(parse)),
      write: (rows) => attempt(() => insertAll.immediate(rows)),
    };
  };
}

const petTable: CheckedForm<Pet, RenderedPet & { id: string }> = {
  ...storedPets,
  parse: ({ id, ...pet }) =>
    isIntact(pet, id) ? { id: BigInt(id), ...parseNewPet(parseExactJson(pet.json)) } : undefined,
};
