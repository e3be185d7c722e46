import type { Registry } from '../../metrics/registry.ts';
import type { Log } from '../../system/log.ts';
import { createStore } from '../create-store.ts';
import type { MakeOptions } from '../schema.ts';
import type { Store } from '../store.ts';
import { type Environment, parseAddress } from './address.ts';
import { createEngine } from './engine.ts';
import { warnOfOthers } from './rights.ts';
import { prepareDatabase } from './schema.ts';
import { limits } from './session.ts';
import { createSql, writerCount } from './sessions.ts';

export interface PostgresOptions extends MakeOptions {
  /** A `postgres://` address. */
  address: string;
  /** Where PGPASSWORD is read from. */
  environment?: Environment;
  maxQueuedWrites?: number;
  now?: () => number;
  /** Records the server in use and every change of it. */
  log?: Log;
  metrics?: Registry | undefined;
}

/** Opens the store. Makes its tables if they are missing. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { environment = {}, maxQueuedWrites = 10_000 } = options;
  const { now = Date.now, log, metrics } = options;
  const address = parseAddress(options.address, environment);
  await prepareDatabase(address, options);

  // However patient the address is: a request waits for its session.
  const serving = { ...address, connectTimeoutMs: limits.sessionMs };
  const readerCount = address.connectionLimit - writerCount;
  const sql = createSql(serving, { readerCount, log, metrics });
  metrics?.gauge('petstore_store_size_bytes', 'Size of the database.', async () => {
    const [row] = await sql.read<{ size: string }>(selectSize);
    return Number(row?.size);
  });
  // Read now, so that the log names the server at once. If it has just gone, the first request finds out.
  if (log) await warnOfOthers(sql.read, log).catch(() => {});
  const engine = createEngine(sql, { now, maxQueued: maxQueuedWrites, log, metrics });
  return createStore(engine, now);
}

const selectSize = { name: 'select-size', text: 'SELECT pg_database_size(current_database()) AS size' };
