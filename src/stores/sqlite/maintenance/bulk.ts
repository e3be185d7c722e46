import type { Database } from 'bun:sqlite';
import { parseExactJson } from '../../../domain/int64.ts';
import { parseNewPet, type Pet } from '../../../domain/pet.ts';
import type { BulkStore, BulkTable, LastIds } from '../../bulk.ts';
import type { MigrationOptions } from '../../migration.ts';
import { type ColumnValue, idempotencyTable, importTable, keyTable, type TableForm } from '../../tables.ts';
import { openForReading } from '../connect.ts';
import { damaged, operatorError, isDamage, callerErrorOfAdd } from '../errors.ts';
import { refuseMoved } from '../file.ts';
import { refuseOlderSchema } from '../migrate.ts';
import { openForWriting } from '../open-file.ts';
import {
  beginLog,
  type Checked,
  type CheckedTable,
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
    const table = createTableMaker(database, translated);
    const raise = database.transaction((ids: LastIds) => raiseLastIds(database, ids));
    const begin = database.transaction(() => beginLog(database, Date.now()));
    return {
      pets: table(petTable(path), selectStoredPet),
      keys: table(keyTable),
      orders: table(checked(storedOrders, path)),
      categories: table(checked(storedCategories, path)),
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

function createTableMaker(database: Database, translated: Translated) {
  return <Row, Stored>(form: TableForm<Row, Stored>, select = selectColumns(form)): BulkTable<Row> => {
    const { name, keyLength, valuesOf, parse } = form;
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
    return {
      count: () => translated(() => count.get()?.count ?? 0),
      read: (after, limit) => translated(() => read(after, limit).map(parse)),
      write: (rows) => translated(() => insertAll.immediate(rows)),
    };
  };
}

function petTable(path: string): TableForm<Pet, RenderedPet & { id: string }> {
  return {
    ...storedPets,
    parse({ id, ...pet }) {
      if (!isIntact(pet, id)) throw damaged(path);
      return { id: BigInt(id), ...parseNewPet(parseExactJson(pet.json)) };
    },
  };
}

function checked<Row, Stored>(
  table: CheckedTable<Row, Stored>,
  path: string,
): TableForm<Row, Checked<Stored>> {
  return {
    ...table,
    parse(stored) {
      const row = table.find(stored);
      if (!row) throw damaged(path);
      return row;
    },
  };
}
