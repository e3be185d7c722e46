import type { Database } from 'bun:sqlite';
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Registry } from '../../metrics/registry.ts';
import { sizeOf } from '../../system/files.ts';
import type { StoreTables } from '../copy.ts';
import { createStore, type MakeOptions, type StoreOptions } from '../create-store.ts';
import type { Engine } from '../statement.ts';
import type { Store } from '../store.ts';
import { openForReading, openForWriting, connectReadOnly } from './connect.ts';
import { callerError, isDamage, operatorError } from './errors.ts';
import { createFreshness, untilNoticed } from './freshness.ts';
import { warnOfReaders } from './file.ts';
import { openSearcher } from './search.ts';
import { createStatements, dialect } from './statements.ts';
import { createTx, raiseLastId, readLastId } from './tx.ts';
import { isInPlace, watchStore, confirmInPlace } from './watch.ts';
import { openWriter } from './writer.ts';

type SqliteOptions = StoreOptions & { path: string };

/** Opens the store to serve it. Makes its file, folder and tables if they are missing. */
export function openSqliteStore(options: SqliteOptions): Store {
  /** Closed in the opposite order, and also if the open fails. */
  const opened = new AsyncDisposableStack();
  try {
    return createStore(openEngine(opened, options), options);
  } catch (error) {
    void opened.disposeAsync();
    throw error;
  }
}

function openEngine(opened: AsyncDisposableStack, options: SqliteOptions): Engine {
  const { path, log, metrics } = options;
  // Stays open: with its lock, no restore can slip in before the other connections hold theirs.
  const { store, database: writable } = openForWriting(path, options);
  opened.defer(() => writable.close());
  if (log) warnOfReaders(store, log);
  const watch = opened.adopt(watchStore(store, log), ({ close }) => close());
  // The serving thread only reads, so that it never waits for a commit.
  const database = connectReadOnly(store);
  opened.defer(() => {
    if (watch.problem() || !isInPlace(store)) leftOpen.add(database);
    else database.close();
  });
  // In KiB. The default of 2 MB cannot hold the inner index pages of ten million pets.
  database.run('PRAGMA cache_size = -16000');
  const freshness = opened.adopt(createFreshness(database, watch), ({ close }) => close());
  const searcher = openSearcher(store, watch);
  opened.defer(() => searcher.close());
  const writer = openWriter(store, watch, { ...options, onReply: freshness.noteWritten });
  opened.defer(() => writer.close());
  if (metrics) measureFiles(metrics, store.path);
  const statements = createStatements(database);
  let closed: Promise<void> | undefined;
  return {
    dialect,
    version: freshness.version,
    read: (statement, values, resultOf) => freshness.read(() => resultOf(statements.run(statement, values))),
    scan: searcher.scan,
    areWritesFailing: writer.areWritesFailing,
    async apply(change) {
      const outcome = await writer.apply(change);
      // Commands report these changes, so the next request must see them.
      if (change.kind === 'create-key' || change.kind === 'revoke-key') await untilNoticed();
      return outcome;
    },
    // Short, because reading the end of the log takes microseconds.
    checkEventsEveryMs: 50,
    close: () => (closed ??= opened.disposeAsync()),
  };
}

/**
 * Connections that stay open until the process ends. The last writing connection moves the log into the file when it
 * closes. If the store was moved, that would overwrite commits by others that this process cannot see.
 */
const leftOpen = new Set<Database>();

function measureFiles(metrics: Registry, path: string): void {
  const folder = dirname(path);
  metrics.gauge('petstore_store_size_bytes', 'Size of the store, without its log.', () => sizeOf(path));
  metrics.gauge('petstore_wal_size_bytes', 'Size of the write-ahead log.', () => sizeOf(`${path}-wal`));
  metrics.gauge('petstore_disk_size_bytes', 'Size of the disk that holds the store.', () => {
    const { bsize, blocks } = statfsSync(folder);
    return bsize * blocks;
  });
  metrics.gauge('petstore_disk_free_bytes', 'Room on that disk for programs that are not root.', () => {
    const { bsize, bavail } = statfsSync(folder);
    return bsize * bavail;
  });
}

/** Opens the store for a command that reads or, with `mayCreate`, writes all of it. */
export async function openSqliteTables({
  path,
  mayCreate,
  ...options
}: MakeOptions & { path: string; mayCreate: boolean }): Promise<StoreTables> {
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
