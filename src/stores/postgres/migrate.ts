import { setTimeout as sleep } from 'node:timers/promises';
import { version as release } from '../../../package.json';
import { OperatorError } from '../../domain/error.ts';
import { foldName } from '../../domain/fold.ts';
import { noReport, type Report } from '../../system/progress.ts';
import { announceMigration, newerSchema, type MigrationOptions } from '../migration.ts';
import type { PostgresAddress } from './address.ts';
import { onSession } from './errors.ts';
import type { Session } from './session.ts';
import { isCollision } from './transaction.ts';

/**
 * Each step leads from the previous version to its own; the first release had version 4. A released step never changes.
 */
const steps: Record<number, string> = {
  4: `
  -- A sequence and not an identity column: a create draws its id before it inserts.
  CREATE SEQUENCE pet_ids AS bigint;
  CREATE TABLE pets (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    category_id bigint NOT NULL,
    status text CHECK (status IN ('available', 'pending', 'sold'))
  );
  CREATE INDEX pets_by_status ON pets (status, id) WHERE status IS NOT NULL;

  -- Times are milliseconds since 1970, as in the embedded store.
  CREATE SEQUENCE api_key_ids AS bigint;
  CREATE TABLE api_keys (
    id bigint PRIMARY KEY DEFAULT nextval('api_key_ids'),
    name text NOT NULL,
    hash text NOT NULL UNIQUE,
    last_four text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
  );
  -- One row whose version moves with every change of the keys; the replicas look at it.
  CREATE TABLE key_changes (id integer PRIMARY KEY CHECK (id = 1), version bigint NOT NULL);
  INSERT INTO key_changes VALUES (1, 0);

  CREATE TABLE idempotency_keys (
    caller text NOT NULL,
    key text NOT NULL,
    request_hash text NOT NULL,
    pet_id bigint NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (caller, key)
  );
  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

  -- Nobody uses it any more.
  CREATE TABLE write_probe (id integer PRIMARY KEY CHECK (id = 1), probed_at bigint NOT NULL);
  INSERT INTO write_probe VALUES (1, 0);

  -- How far each import has come, written together with its pets; the source is a hash of the content.
  CREATE TABLE imports (source text PRIMARY KEY, added_count bigint NOT NULL, finished_at bigint);

  -- A row for each replica, which its readiness check rewrites to prove that a commit still reaches the disk.
  CREATE TABLE write_probes (replica text PRIMARY KEY, probed_at bigint NOT NULL, sequence bigint NOT NULL);

  -- No foreign key: an order stays when its pet is deleted.
  CREATE SEQUENCE order_ids AS bigint;
  CREATE TABLE orders (
    id bigint PRIMARY KEY,
    pet_id bigint NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'sold')),
    created_at bigint NOT NULL
  );
  CREATE INDEX orders_by_status ON orders (status, id);

  -- One row: an import that keeps its ids must not use that of a deleted pet. The sequence does not tell, because it also
  -- moves past ids of pets that were never committed.
  CREATE TABLE deletions (id integer PRIMARY KEY CHECK (id = 1), largest_pet_id bigint NOT NULL);
  INSERT INTO deletions VALUES (1, 0);
  `,
  5: `
  ALTER TABLE api_keys ADD COLUMN read_only boolean NOT NULL DEFAULT false;
  -- The id of the key that a rotation made in its place.
  ALTER TABLE api_keys ADD COLUMN replaced_by bigint;
  `,
  8: `
  ALTER TABLE orders ADD COLUMN created_by text;
  ALTER TABLE orders ADD COLUMN returned_at bigint;
  ALTER TABLE orders ADD COLUMN returned_by text;
  -- The pet as sold; null on orders from before, and on those of a replica of 1.1.0.
  ALTER TABLE orders ADD COLUMN name text;
  ALTER TABLE orders ADD COLUMN category_id bigint;

  ALTER TABLE api_keys ADD COLUMN no_delete boolean NOT NULL DEFAULT false;

  -- A name for a number that pets may carry.
  CREATE TABLE categories (id bigint PRIMARY KEY, name text NOT NULL);

  -- Null until the name is folded: a replica of 1.1.0 leaves it so.
  ALTER TABLE pets ADD COLUMN folded_name text;

  -- Every change of a pet, in order.
  CREATE TABLE events (
    id bigint PRIMARY KEY,
    created_at bigint NOT NULL,
    created_by text,
    type text NOT NULL,
    pet_id bigint,
    json text NOT NULL,
    previous text
  );
  -- One row. The epoch names the log and is part of every cursor.
  CREATE TABLE event_log (id integer PRIMARY KEY CHECK (id = 1), epoch text NOT NULL);
  INSERT INTO event_log VALUES (1, replace(gen_random_uuid()::text, '-', ''));
  `,
};

/** Built concurrently with the work of other replicas, so after the steps and outside their transaction. */
const indexes: Record<string, string> = {
  orders_by_pet: 'orders (pet_id, id)',
  orders_by_time: 'orders (created_at, id)',
  orders_returned: 'orders (id) WHERE returned_at IS NOT NULL',
  pets_unfolded: 'pets (id) WHERE folded_name IS NULL',
};

const newestVersion = Math.max(...Object.keys(steps).map(Number));

/** "pets" in ASCII. One replica migrates under this lock while the others wait. */
const migrationLock = 0x70657473;
/** Long enough for twenty replicas that start together. Building an index has no time limit. */
const timeouts = { lockMs: 60_000, statementMs: 0, silenceMs: 0 };

export interface PrepareOptions extends MigrationOptions {
  /** False for commands that only read: a schema that is missing or older is an error. */
  mayCreate?: boolean;
}

export function prepareDatabase(address: PostgresAddress, options: PrepareOptions): Promise<void> {
  return onSession({ address, timeouts }, (session) =>
    options.mayCreate === false ? refuseMissingSchema(session) : migrate(session, options),
  );
}

/** Any number of replicas may start together, and any of them may be killed. */
async function migrate(session: Session, options: PrepareOptions): Promise<void> {
  const { report = noReport } = options;
  await refuseOtherEncodings(session);
  // A service may lack the right to change the schema if the schema is up to date.
  if ((await readSchemaVersion(session)) < newestVersion) {
    const from = await alone(session, () => runSteps(session, report));
    if (from === 0) options.onMade?.();
    if (from > 0 && from < newestVersion) options.onMigrated?.({ from, to: newestVersion });
  }
  await foldNames(session, report);
  for (const name of Object.keys(indexes)) await buildIndex(session, name);
}

/** Runs a transaction while other replicas wait, and again if it collided with the work of one that serves. */
async function alone<Result>(session: Session, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      await session.query('BEGIN');
      await session.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
      const result = await work();
      await session.query('COMMIT');
      return result;
    } catch (error) {
      if (!isCollision(error)) throw error;
      await session.query('ROLLBACK');
    }
  }
}

/** Returns the previous version. */
async function runSteps(session: Session, report: Report): Promise<number> {
  const version = await readSchemaVersion(session);
  if (version > 0 && version < newestVersion) {
    const [found] = await session.query<{ pets: string }>('SELECT count(*) AS pets FROM pets');
    announceMigration(report, version, newestVersion, Number(found?.pets));
  }
  for (const [next, step] of Object.entries(steps)) if (Number(next) > version) await session.query(step);
  // Nobody uses the tables of a new store yet, so its indexes need not be built concurrently.
  if (version === 0)
    for (const [name, table] of Object.entries(indexes))
      await session.query(`CREATE INDEX ${name} ON ${table}`);
  await session.query(`
    CREATE TABLE IF NOT EXISTS petstore_schema (id integer PRIMARY KEY CHECK (id = 1), version integer NOT NULL);
    INSERT INTO petstore_schema VALUES (1, ${newestVersion}) ON CONFLICT (id) DO UPDATE SET version = excluded.version;
  `);
  return version;
}

const namesPerBatch = 1000;

/** Folds the names that 1.1.0 wrote. Pets locked by others are left for the next start. */
async function foldNames(session: Session, report: Report): Promise<void> {
  const unfolded = 'FROM pets WHERE folded_name IS NULL';
  const [row] = await session.query<{ total: string }>(`SELECT count(*) AS total ${unfolded}`);
  if (row?.total === '0') return;
  using progress = report.progress('names made searchable', Number(row?.total));
  for (let after = '0'; ;) {
    // Do not wait for a standby: the next start folds what a failover loses.
    await session.query('BEGIN; SET LOCAL synchronous_commit = local');
    const pets = await session.query<{ id: string; name: string }>(
      `SELECT id, name ${unfolded} AND id > $1::bigint ORDER BY id LIMIT ${namesPerBatch} FOR UPDATE SKIP LOCKED`,
      [after],
    );
    await session.query(
      `UPDATE pets SET folded_name = given.folded_name FROM unnest($1::bigint[], $2::text[]) AS given (id, folded_name)
       WHERE pets.id = given.id`,
      [pets.map(({ id }) => id), pets.map(({ name }) => foldName(name))],
    );
    await session.query('COMMIT');
    progress.add(pets.length);
    if (pets.length < namesPerBatch) return;
    after = pets.at(-1)?.id ?? after;
  }
}

/**
 * Builds an index beside writes, and again if a killed replica left it unfinished. It waits for a replica that is
 * building one on the same table: two that build together would undo each other's work.
 */
async function buildIndex(session: Session, name: string): Promise<void> {
  for (;;) {
    const [index] = await session.query<{ indisvalid: boolean; isBeingBuilt: boolean }>(
      `SELECT indisvalid,
         EXISTS (SELECT FROM pg_stat_progress_create_index WHERE relid = indrelid) AS "isBeingBuilt"
       FROM pg_index WHERE indexrelid = to_regclass($1)`,
      [name],
    );
    if (index?.indisvalid) return;
    if (!index?.isBeingBuilt) {
      try {
        // REINDEX would leave another index behind if it failed.
        if (index) await session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
        await session.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${indexes[name]}`);
        return;
      } catch (error) {
        // Two replicas that build indexes may wait for each other's snapshots.
        if (!isCollision(error)) throw error;
      }
    }
    await sleep(pauseBetweenChecksMs);
  }
}

const pauseBetweenChecksMs = 200;

async function refuseMissingSchema(session: Session): Promise<void> {
  const version = await readSchemaVersion(session);
  if (version === newestVersion) return;
  if (version === 0) throw new OperatorError('The database holds no store.', 'Check the address.');
  throw new OperatorError(
    `The database has schema version ${version}, and ${newestVersion} is needed.`,
    'Run petstore migrate first.',
  );
}

/** 0 without a schema; fails if the schema is from a newer release. */
export async function readSchemaVersion(session: Session): Promise<number> {
  // to_regclass() would use the session's cache and miss a table created while it waited.
  const [table] = await session.query(
    "SELECT 1 AS found FROM pg_tables WHERE schemaname = ANY (current_schemas(false)) AND tablename = 'petstore_schema'",
  );
  if (!table) return 0;
  const [row] = await session.query<{ version: number }>('SELECT version FROM petstore_schema');
  const version = row?.version ?? 0;
  if (version > newestVersion) throw newerSchema('The database', version, newestVersion, release);
  return version;
}

/** Any other encoding would reject or change names. */
async function refuseOtherEncodings(session: Session): Promise<void> {
  const [row] = await session.query<{ server_encoding: string }>('SHOW server_encoding');
  if (row?.server_encoding === 'UTF8') return;
  throw new OperatorError(
    `The database has the encoding ${row?.server_encoding}, and names need UTF8.`,
    "Make another one: CREATE DATABASE shop ENCODING 'UTF8' TEMPLATE template0.",
  );
}
