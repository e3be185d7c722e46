import { isUsable } from '../domain/api-key.ts';
import { readCategory } from '../domain/category.ts';
import type { OperatorError } from '../domain/error.ts';
import { readEvent, readOrder } from '../domain/history.ts';
import { readPet, renderPet } from '../domain/pet.ts';
import type { Log } from '../system/log.ts';
import type { Report } from '../system/progress.ts';
import { countRows, readTable, type StoredRow, type StoreTables } from './copy.ts';
import { categoryRow, eventRow, type KeyRow, orderRow, petRow, readKey } from './rows.ts';
import type { TableName } from './schema.ts';
import type { InputRow } from './statement.ts';

/** The number of rows in a store. */
export interface StoreContent {
  petCount: number;
  orderCount: number;
  keyCount: number;
  /** Keys that are neither revoked nor expired. */
  usableKeyCount: number;
}

export const emptyStore: StoreContent = { petCount: 0, orderCount: 0, keyCount: 0, usableKeyCount: 0 };

export interface CheckOptions {
  /** Receives what a start would warn of. */
  log: Log;
  report: Report;
}

/** A store that a start would accept. */
export interface CheckedStore {
  /** The database, with its version. */
  engine: string;
  /** Undefined if there is no store yet. */
  content: StoreContent | undefined;
}

/** The row that the service would store with this JSON. */
const rowOf: Partial<Record<TableName, (json: string, id: bigint) => InputRow>> = {
  pets(json, id) {
    const pet = readPet(json);
    return petRow([id, { pet, json: renderPet(id, pet) }]);
  },
  orders: (json) => orderRow(readOrder(json)),
  categories: (json) => categoryRow(readCategory(json)),
  events: (json, id) => [id, ...eventRow(readEvent(json))],
};

/** Reads every row, and fails at the first whose JSON is not whole or does not agree with its columns. */
export async function checkRows(
  tables: Pick<StoreTables, 'scan'>,
  { report, damaged }: { report: Report; damaged: (row: string) => OperatorError },
): Promise<StoreContent> {
  const check = async (table: TableName, noun: string): Promise<number> => {
    const total = await countRows(tables, table);
    if (total === 0) return 0;
    using progress = report.progress(`${table} read`, total);
    for await (const rows of readTable(tables, table)) {
      const broken = rows.find((row) => !isWhole(table, row));
      if (broken) throw damaged(`${noun} ${broken['id']}`);
      progress.add(rows.length);
    }
    return total;
  };
  const content = { petCount: await check('pets', 'pet'), orderCount: await check('orders', 'order') };
  await check('categories', 'category');
  await check('events', 'event');
  const keys = (await Array.fromAsync(readTable(tables, 'api_keys'))).flat() as unknown as KeyRow[];
  const now = Date.now();
  const usableKeyCount = keys.filter((row) => isUsable(readKey(row), now)).length;
  return { ...content, keyCount: keys.length, usableKeyCount };
}

function isWhole(table: TableName, row: StoredRow): boolean {
  try {
    const expected = rowOf[table]?.(String(row['json']), BigInt(row['id'] ?? ''));
    return Object.values(row).every((value, index) => String(value) === String(expected?.[index]));
  } catch {
    // The JSON cannot be read, or an order has no time.
    return false;
  }
}
