import type { Registry } from '../../metrics/registry.ts';
import type { Log } from '../../system/log.ts';
import type { MigrationOptions } from '../migration.ts';
import { createReadiness } from '../readiness.ts';
import type { Store } from '../store.ts';
import { parseAddress, type Environment } from './address.ts';
import { createEventStore } from './events.ts';
import { createKeyStore } from './keys.ts';
import { prepareDatabase } from './migrate.ts';
import { createOrderStore, createPetStore } from './pets/pets.ts';
import { createSchemaCheck, probe } from './readiness.ts';
import { createSql, writerCount } from './sessions.ts';

export interface PostgresOptions extends MigrationOptions {
  /** A `postgres://` address. */
  address: string;
  /** Where PGPASSWORD and libpq's other variables are read from. */
  environment?: Environment;
  maxQueuedWrites?: number;
  /** How long to wait for a database that cannot be reached yet. */
  startWithinMs?: number;
  now?: () => number;
  /** Records the server in use and every change of it. */
  log?: Log;
  metrics?: Registry | undefined;
}

/** However patient the address is: a request waits for its session. */
const maxConnectMs = 2000;

/** Opens the store and migrates its schema if necessary. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { environment = {}, maxQueuedWrites = 10_000, startWithinMs = 10_000, now = Date.now, log } = options;
  const { metrics } = options;
  const address = parseAddress(options.address, environment);
  await prepareDatabase(address, startWithinMs, options);

  const readiness = createReadiness(() => sql.write(probe));
  const connectTimeoutMs = Math.min(address.connectTimeoutMs, maxConnectMs);
  const sql = createSql(
    { ...address, connectTimeoutMs },
    {
      readerCount: address.connectionLimit - writerCount,
      log,
      metrics,
      onWritten: readiness.note,
    },
  );
  const checkSchema = createSchemaCheck(sql, log);
  // Check now, so that the log names the server at once. If it has just gone, the first request finds out.
  await checkSchema().catch(() => {});
  const checkWritable = async (): Promise<void> => {
    await checkSchema();
    await readiness.check();
  };
  const pets = createPetStore(sql, { checkWritable, now, maxQueued: maxQueuedWrites, metrics });
  return {
    pets,
    orders: createOrderStore(sql),
    events: createEventStore(sql),
    keys: createKeyStore(sql, now),
    async close() {
      await pets.close();
      await sql.close();
    },
  };
}
