import type { Database } from 'bun:sqlite';
import { partialForm, removeLeftovers } from '../../system/files.ts';
import { noReport } from '../../system/progress.ts';
import { announceMigration, type MigrationOptions } from '../migration.ts';
import { openAlone, openInPlace, type OpenStore } from './connect.ts';
import { operatorError } from './errors.ts';
import { findOrMakeStore, type StoreFile } from './file.ts';
import { copyDatabase } from './maintenance/backup.ts';
import { checkOwnership, migrate, newestVersion, readPragma } from './migrate.ts';
import { isInPlace, withSideFiles } from './watch.ts';

/**
 * How a store is opened: `file.ts` finds the file behind the operator's name. `connect.ts` opens a connection and refuses
 * an unusable file. In WAL mode, the first read takes a lock that a restore waits for. An older schema is migrated here.
 * From then on, `watch.ts` notices if the file, its log or its shared memory is moved or removed.
 */

/** Opens a store for reading and writing. Creates it if it is missing, checks it and migrates its schema. */
export function openForWriting(name: string, options: MigrationOptions = {}): OpenStore {
  for (;;) {
    const { store, database, version } = openInPlace(findOrMakeStore(name), true);
    if (version === newestVersion) {
      // What killed restores left behind. The store is open, which rules out a running one.
      removeLeftovers(store.path, partialForm);
      return { store: withSideFiles(store), database, version };
    }
    database.close();
    upgrade(store, options);
  }
}

/**
 * Migrates a store that nobody else has open, because an older release must not write to the new schema. A full disk or
 * a kill leaves the old schema. Does nothing if a restore has replaced the store.
 */
export function upgrade(
  store: StoreFile,
  { keepsOlder = true, onMade, onMigrated, report = noReport }: MigrationOptions,
): void {
  using database = openAlone(store);
  try {
    if (!isInPlace(store)) return;
    checkOwnership(database, store.name);
    const from = readPragma(database, 'user_version');
    // Another process may have migrated it while this one waited.
    if (from === newestVersion) return;
    if (from === 0) {
      migrate(database);
      onMade?.();
      return;
    }
    const { pets } = database.query('SELECT count(*) AS pets FROM pets').get() as { pets: number };
    announceMigration(report, from, newestVersion, pets);
    const keptAs = keepsOlder ? keepOlder(database, store, from) : undefined;
    migrate(database, newestVersion, report);
    onMigrated?.({ from, to: newestVersion, ...(keptAs !== undefined && { keptAs }) });
  } catch (error) {
    throw operatorError(error, store.name);
  }
}

const remedy = 'Make room, or make a backup elsewhere and run petstore migrate --no-copy.';

/** Keeps one copy per version, so that a start that fails repeatedly does not fill the disk. */
function keepOlder(database: Database, { name, path }: StoreFile, version: number): string {
  const file = `${path}.schema-${version}`;
  removeLeftovers(file, partialForm, 0);
  copyDatabase({ database, name, file, report: noReport, remedy });
  return file;
}
