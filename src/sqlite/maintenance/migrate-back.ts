import type { Database } from 'bun:sqlite';
import { OperatorError } from '../../domain/error.ts';
import { olderVersion, type Migration, type MigrationOptions } from '../../domain/migration.ts';
import { renderOrder } from '../../domain/order.ts';
import { damaged, explain, isBusy, noStore } from '../errors.ts';
import { newestVersion } from '../migrate.ts';
import { openAlone } from '../opening/alone.ts';
import { keepOlder } from '../opening/copy-store.ts';
import { findExisting } from '../opening/store-file.ts';
import { openForWriting } from '../opening/writable.ts';
import { selectColumns } from '../sql.ts';
import { orderOf, storedOrders, type OrderRow } from '../stored-order.ts';
import { checksumOf } from '../stored-pet.ts';

/** Takes a store that nobody uses back to the schema of the release before, with everything written since. */
export function migrateSqliteBack(path: string, { keepsOlder = true }: MigrationOptions): Migration {
  const store = findExisting(path);
  if (!store) throw noStore(path);
  try {
    // Nobody may have it open, and before it is migrated back it must be as new as this release.
    openAlone(store).close();
    openForWriting(path, { keepsOlder }).close();
    const keptAs = keepsOlder ? keepOlder(store, newestVersion) : undefined;
    const { database, close } = openForWriting(path);
    try {
      database.transaction(() => goBack(database, path)).immediate();
    } finally {
      close();
    }
    return { from: newestVersion, to: olderVersion, ...(keptAs !== undefined && { keptAs }) };
  } catch (error) {
    throw isBusy(error)
      ? new OperatorError(`${path} is in use.`, 'Stop its services first.')
      : explain(error, path);
  }
}

/** No pet is lost. */
function goBack(database: Database, path: string): void {
  forgetKeysOfOrders(database, path);
  database.run(`
    DROP INDEX pets_unfolded;
    ALTER TABLE pets DROP COLUMN folded_name;
    DROP INDEX orders_by_pet;
    ALTER TABLE orders DROP COLUMN created_by;
    PRAGMA user_version = ${olderVersion}`);
}

/** The checksum of an order covers the key that wrote it. */
function forgetKeysOfOrders(database: Database, path: string): void {
  const select = database.query<OrderRow, []>(
    `SELECT ${selectColumns(storedOrders)} FROM orders WHERE created_by IS NOT NULL`,
  );
  const update = database.query('UPDATE orders SET checksum = ?2 WHERE id = ?1');
  for (const row of select.all()) {
    const order = orderOf(row);
    if (!order) throw damaged(path);
    const { createdBy: _, ...others } = order;
    update.run(order.id, checksumOf(renderOrder(others)));
  }
}
