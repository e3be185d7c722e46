import type { Store } from '../domain/store.ts';
import type { Log } from '../system/log.ts';
import type { MigrationOptions } from '../system/migration.ts';
import { createReadiness } from '../domain/readiness.ts';
import type { Registry } from '../metrics/registry.ts';
import { createWriteMetrics, type WriteMetrics } from '../metrics/writes.ts';
import { parseAddress, type Environment } from './address.ts';
import { createBatcher } from './batcher.ts';
import { createEventStore, createExpiry } from './events.ts';
import { createKeyStore, findKeys } from './keys.ts';
import { addPostgresGauges, createPostgresCounters } from './metrics.ts';
import { prepareDatabase } from './migrate.ts';
import { createOrderStore, createPetStore, readPets } from './pets/pets.ts';
import { changePets, createPets, type ChangeRequest, type CreateRequest } from './pets/writes.ts';
import { createSchemaCheck, probe } from './readiness.ts';
import { createSessions } from './sessions/sessions.ts';
import { createSql, writerCount } from './sql.ts';

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

/** Opens the store and migrates its schema if necessary. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { environment = {}, maxQueuedWrites = 10_000, startWithinMs = 10_000, now = Date.now, log } = options;
  const { metrics } = options;
  const counters = metrics && createPostgresCounters(metrics);
  const address = parseAddress(options.address, environment);
  await prepareDatabase(address, startWithinMs, options);

  const readiness = createReadiness(() => sql.write(probe));
  const sessions = createSessions(address, log, counters?.failovers);
  const sql = createSql(sessions, {
    readerCount: address.connectionLimit - writerCount,
    unknownOutcomes: counters?.unknownOutcomes,
    onWritten: readiness.note,
  });
  const checkSchema = createSchemaCheck(sql, log);
  if (metrics) addPostgresGauges(metrics, address, sessions);
  // Check now, so that the log names the server at once. If it has just gone, the first request finds out.
  await checkSchema().catch(() => {});
  const measured: WriteMetrics | undefined =
    metrics &&
    createWriteMetrics(metrics, {
      // The longest queue is the first to refuse.
      length: (): number => Math.max(creates.waiting, changes.waiting),
      capacity: maxQueuedWrites,
    });
  const expire = createExpiry(sql, now);
  const creates = createBatcher({
    run: (requests: CreateRequest[]) => createPets(sql, requests, now()).finally(expire),
    maxQueued: maxQueuedWrites,
    metrics: measured,
  });
  const changes = createBatcher({
    run: (requests: ChangeRequest[]) => changePets(sql, requests).finally(expire),
    maxQueued: maxQueuedWrites,
    metrics: measured,
  });
  const gets = createBatcher({ run: (ids: string[]) => readPets(sql, ids) });
  const finds = createBatcher({ run: (hashes: string[]) => findKeys(sql, hashes, now()) });
  const checkWritable = async (): Promise<void> => {
    await checkSchema();
    await readiness.check();
  };
  return {
    pets: createPetStore({ sql, creates, changes, gets, checkWritable, now }),
    orders: createOrderStore(sql),
    events: createEventStore(sql),
    keys: createKeyStore(sql, finds, now),
    async close() {
      await Promise.all([creates, changes, gets, finds].map((batcher) => batcher.close()));
      await sql.close();
    },
  };
}
