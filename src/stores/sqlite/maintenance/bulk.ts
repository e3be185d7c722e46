import type { Database } from 'bun:sqlite';
import { parseExactJson } from '../../../domain/int64.ts';
import { parseNewPet, type Pet } from '../../../domain/pet.ts';
import type { BulkStore, BulkTable, LastIds } from '../../bulk.ts';
import type { MigrationOptions } from '../../migration.ts';
import { type ColumnValue, idempotencyTable, importTable, keyTable } from '../../tables.ts';
import { openForReading } from '../connect.ts';
import { damaged, operatorError, isDamage, callerErrorOfAdd } from '../errors.ts';
import { refuseOlderSchema } from '../migrate.ts';
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
import { refuseMoved } from '../watch.ts';

/** With `mayCreate`, creates a missing store and migrates an older one; otherwise both are errors. */
export async function openSqliteBulk(
  options: { path: string; mayCreate: boolean } & MigrationOptions,
): Promise<BulkStore> {
  const { path, mayCreate } = options;
  const { store, database, version } = mayCreate ? openForWriting(path, options) : openForReading(path);

  const translated: Translated = async (use) => {
    try {
      refuseMoved(store);
      const result = use();
      refuseMoved(store);
      return result;
    } catch (error) {
      throw isDamage(error) ? operatorError(error, path) : callerErrorOfAdd(error);
    }
  };

  try {
    refuseOlderSchema(version, path);
    const table = createTableMaker(database, path, translated);
    const raise = database.transaction((ids: LastIds) => raiseLastIds(database, ids));
    const begin = database.transaction(() => beginLog(database, Date.now()));
    return {
      pets: table(petTable, selectStoredPet),
      keys: table(keyTable),
      orders: table(storedOrders),
      categories: table(storedCategories),
      idempotencyRecords: table(idempotencyTable),
      imports: table(importTable),
      lastIds: () => translated(() => readLastIds(database)),
      raiseLastIds: (ids) => translated(() => raise.immediate(ids)),
      beginLog: () => translated(() => begin.immediate()),
      close: async () => database.close(),
    };
  } catch (error) {
    database.close();
    throw operatorError(error, path);
  }
}

type Translated = <Result>(use: () => Result) => Promise<Result>;

function createTableMaker(database: Database, path: string, translated: Translated) {
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
      count: () => translated(() => count.get()?.count ?? 0),
      read: (after, limit) => translated(() => read(after, limit).map(parse)),
      write: (rows) => translated(() => insertAll.immediate(rows)),
    };
  };
}

const petTable: CheckedForm<Pet, RenderedPet & { id: string }> = {
  ...storedPets,
  parse: ({ id, ...pet }) =>
    isIntact(pet, id) ? { id: BigInt(id), ...parseNewPet(parseExactJson(pet.json)) } : undefined,
};
