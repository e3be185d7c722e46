import type { Store } from '../domain/store.ts';
import type { Log } from '../domain/log.ts';
import type { Registry } from '../metrics/registry.ts';
import { createWriteMetrics, type WriteMetrics } from '../metrics/writes.ts';
import type { MigrationOptions } from '../domain/migration.ts';
import { parseAddress, type Environment } from './address.ts';
import { createBatcher } from './batcher.ts';
import {
  createChanges,
  runDeletes,
  runUpdates,
  type DeleteRequest,
  type UpdateRequest,
} from './pets/change.ts';
import { createPetCreator, keyOf } from './pets/create.ts';
import { createNameFolder } from './pets/fold-names.ts';
import { openDatabase } from './database.ts';
import { createKeyWatch } from './keys/key-watch.ts';
import { createKeyStore, findKeys } from './keys/keys.ts';
import { prepareDatabase } from './migrate.ts';
import { addPostgresGauges, createPostgresCounters } from './metrics.ts';
import { createOrderStore, createPetStore, readPets } from './pets/pets.ts';
import { createSearch } from './pets/search.ts';
import { createReadinessCheck } from './readiness.ts';
import { SessionGroup } from './session/group.ts';

export type PostgresStore = Store;

export interface PostgresOptions extends MigrationOptions {
  /** A `postgres://` address. */
  address: string;
  /** Where libpq's variables are looked up. */
  environment?: Environment;
  maxQueuedWrites?: number;
  /** How long a database that cannot be reached yet is waited for. */
  startWithinMs?: number;
  now?: () => number;
  /** Told which server is in use, and every change. */
  log?: Log;
  metrics?: Registry | undefined;
}

/** Opens the store, bringing the schema up to date where that is needed. */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const { environment = {}, maxQueuedWrites = 10_000, startWithinMs = 10_000, now = Date.now, log } = options;
  const { metrics } = options;
  const counters = metrics && createPostgresCounters(metrics);
  const address = parseAddress(options.address, environment);
  await prepareDatabase(address, startWithinMs, options);

  const group = new SessionGroup(address, log, counters?.failovers);
  const database = openDatabase(address, group, counters?.unknownOutcomes);
  const watch = createKeyWatch(group, database);
  if (metrics) addPostgresGauges(metrics, group, watch);
  // So that the log says at once which server is in use. One that has just gone away is found when it is needed.
  await watch.check().catch(() => {});
  const measured: WriteMetrics | undefined =
    metrics &&
    createWriteMetrics(metrics, {
      // The longest queue refuses first.
      length: (): number => Math.max(creates.waiting, updates.waiting, deletes.waiting),
      capacity: maxQueuedWrites,
    });
  const createWriteBatcher = <Request, Result>(
    run: (requests: Request[]) => Promise<Result[]>,
    subjectOf: (request: Request) => unknown,
  ) => createBatcher({ run, subjectOf, maxQueued: maxQueuedWrites, metrics: measured });
  const creates = createWriteBatcher(createPetCreator(database, now), keyOf);
  const updates = createWriteBatcher(
    (requests: UpdateRequest[]) => runUpdates(database, requests, now()),
    ({ id }) => id,
  );
  const deletes = createWriteBatcher(
    (requests: DeleteRequest[]) => runDeletes(database, requests),
    ({ id }) => id,
  );
  const folder = createNameFolder(database, log);
  folder.fold();
  const gets = createBatcher({ run: (ids: string[]) => readPets(database, ids) });
  const finds = createBatcher({ run: (hashes: string[]) => findKeys(database, hashes, now()) });
  return {
    pets: {
      ...createPetStore(creates, gets, database, createReadinessCheck(database, watch, now)),
      ...createChanges(updates, deletes),
      searchPets: createSearch(database, folder.fold),
    },
    orders: createOrderStore(database),
    keys: createKeyStore(database, watch, finds, now),
    async close() {
      const batchers = [creates, updates, deletes, gets, finds];
      await Promise.all(batchers.map((batcher) => batcher.close()));
      await folder.close();
      await database.close();
      group.close();
    },
  };
}
