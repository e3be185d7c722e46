import { setTimeout as sleep } from 'node:timers/promises';
import { version as release } from '../../package.json';
import { OperatorError } from '../domain/error.ts';
import { newerSchema, type MigrationOptions } from '../domain/migration.ts';
import type { PostgresAddress } from './address.ts';
import { explain, mayPass } from './errors.ts';
import { openAt, openConnection, type Connection } from './session/connection.ts';
import { isSameServer } from './session/server.ts';

/** Each leads from the version before to its own; the first release had version 4. A released step never changes. */
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
  6: `
  -- First, because nobody can use a table from its ALTER to the end of this transaction.
  CREATE INDEX orders_by_pet ON orders (pet_id, id);
  ALTER TABLE orders ADD COLUMN created_by text;

  -- Null until it is filled: see pets/fold-names.ts. Replicas of the release before leave it null, too.
  ALTER TABLE pets ADD COLUMN folded_name text;
  CREATE INDEX pets_unfolded ON pets (id) WHERE folded_name IS NULL;
  -- Such a replica renames a pet and leaves the folded name as it was.
  CREATE FUNCTION forget_folded_name() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN NEW.folded_name := NULL; RETURN NEW; END';
  CREATE TRIGGER pets_renamed BEFORE UPDATE OF name ON pets FOR EACH ROW
    WHEN (NEW.name <> OLD.name AND NEW.folded_name IS NOT DISTINCT FROM OLD.folded_name)
    EXECUTE FUNCTION forget_folded_name();
  `,
};

const newestVersion = Math.max(...Object.keys(steps).map(Number));

/** "pets" in ASCII: one replica migrates under this lock, the others wait. */
const migrationLock = 0x70657473;
/** Long enough for twenty replicas that start together, and for a step on a large table. */
const timeouts = { lockMs: 60_000, statementMs: 60_000 };

/** Brings the schema up to date, in one transaction; safe when any number of replicas start together. */
async function migrate(address: PostgresAddress, { onMade, onMigrated }: MigrationOptions): Promise<void> {
  const connection = await openConnection({ address, timeouts });
  try {
    await refuseSharedSessions(connection, address);
    await refuseOtherEncodings(connection);
    // A service without the right to change the schema gets along with one that is up to date.
    if ((await readSchemaVersion(connection)) < newestVersion) {
      const from = await runSteps(connection);
      if (from === 0) onMade?.();
      if (from > 0 && from < newestVersion) onMigrated?.({ from, to: newestVersion });
    }
  } finally {
    await connection.close();
  }
}

/** Returns the version before. */
async function runSteps(connection: Connection): Promise<number> {
  await connection.query('BEGIN');
  await connection.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  const version = await readSchemaVersion(connection);
  for (const [next, step] of Object.entries(steps)) if (Number(next) > version) await connection.query(step);
  await connection.query(`
    CREATE TABLE IF NOT EXISTS petstore_schema (id integer PRIMARY KEY CHECK (id = 1), version integer NOT NULL);
    INSERT INTO petstore_schema VALUES (1, ${newestVersion}) ON CONFLICT (id) DO UPDATE SET version = excluded.version;
  `);
  await connection.query('COMMIT');
  return version;
}

const pauseBetweenAttemptsMs = 200;

/** Migrates; waits for a database that is still starting or has too many connections for a moment. */
export async function prepareDatabase(
  address: PostgresAddress,
  startWithinMs: number,
  options: MigrationOptions,
): Promise<void> {
  const deadline = performance.now() + startWithinMs;
  for (;;) {
    try {
      return await migrate(address, options);
    } catch (error) {
      if (!mayPass(error) || performance.now() > deadline) throw explain(error);
    }
    await sleep(pauseBetweenAttemptsMs);
  }
}

/** For commands that only read: they do not set up a schema. */
export async function refuseMissingSchema(connection: Connection): Promise<void> {
  const version = await readSchemaVersion(connection);
  if (version === newestVersion) return;
  if (version === 0) throw new OperatorError('The database holds no store.', 'Check the address.');
  throw new OperatorError(
    `The database has schema version ${version}, and ${newestVersion} is needed.`,
    'Run petstore migrate first.',
  );
}

/** 0 when there is no schema; fails when it is of a newer release. */
export async function readSchemaVersion(connection: Connection): Promise<number> {
  // Not to_regclass(): the session takes that from memory, and misses what was made while it waited.
  const [table] = await connection.query(
    "SELECT 1 AS found FROM pg_tables WHERE schemaname = ANY (current_schemas(false)) AND tablename = 'petstore_schema'",
  );
  if (!table) return 0;
  const [row] = await connection.query<{ version: number }>('SELECT version FROM petstore_schema');
  const version = row?.version ?? 0;
  if (version > newestVersion) throw newerSchema('The database', version, newestVersion, release);
  return version;
}

/** Any other encoding would refuse or change names. */
async function refuseOtherEncodings(connection: Connection): Promise<void> {
  const [row] = await connection.query<{ server_encoding: string }>('SHOW server_encoding');
  if (row?.server_encoding === 'UTF8') return;
  throw new OperatorError(
    `The database has the encoding ${row?.server_encoding}, and names need UTF8.`,
    "Make another one: CREATE DATABASE shop ENCODING 'UTF8' TEMPLATE template0.",
  );
}

/** A busy pooler may give both sessions their own processes by chance, but hardly each time. */
const rounds = 3;

/**
 * A pooler in transaction mode, such as pgbouncer, mixes sessions up: named statements would meet those of others, and
 * settings would be theirs. Two sessions that are our own are two processes, and stay so.
 */
async function refuseSharedSessions(one: Connection, address: PostgresAddress): Promise<void> {
  if (!address.ownsSession || !one.backend) return;
  const other = await openAt(one.host, { address });
  try {
    if (!isSameServer(one.server, other.server)) return;
    for (let round = 0; round < rounds; round++) {
      const [pidOfOne, pidOfOther] = [await pidOf(one), await pidOf(other)];
      const isOurs = pidOfOne === one.backend.pid && pidOfOther === other.backend?.pid;
      if (!isOurs || pidOfOne === pidOfOther) {
        throw new OperatorError(
          'The address leads through a pooler that shares sessions, such as a pgbouncer in transaction mode.',
          'Add pgbouncer=true to the address.',
        );
      }
    }
  } finally {
    await other.close();
  }
}

async function pidOf(connection: Connection): Promise<number | undefined> {
  const [row] = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return row?.pid;
}
