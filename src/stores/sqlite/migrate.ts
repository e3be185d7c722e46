import type { Database } from 'bun:sqlite';
import { version as release } from '../../../package.json';
import { OperatorError } from '../../domain/error.ts';
import { foldName } from '../../domain/fold.ts';
import type { NewPet } from '../../domain/pet.ts';
import { noReport, type Report } from '../../system/progress.ts';
import { newerSchema } from '../migration.ts';
import { damaged } from './errors.ts';
import { isIntact, selectStoredPet, type RenderedPet } from './rows.ts';

/** "pets" in ASCII. Marks a database file as ours, so that we never write to another program's. */
const applicationId = 0x70657473;

/** Each step leads from the previous version to its own. A released step never changes; no release had version 6 or 7. */
const steps: Record<number, string> = {
  4: `
  -- Each pet is kept as its JSON with a checksum; see rows.ts.
  CREATE TABLE pets (
      -- AUTOINCREMENT: an id is never used twice, whatever happens to the newest rows.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      -- As in the JSON, for the index.
      status TEXT CHECK (status IN ('available', 'pending', 'sold')),
      json TEXT NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;

  CREATE INDEX pets_by_status ON pets (status, id) WHERE status IS NOT NULL;

  CREATE TABLE api_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    last_four TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER
  ) STRICT;

  CREATE TABLE idempotency_keys (
    caller TEXT NOT NULL,
    key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    pet_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (caller, key)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

  -- One row that the readiness check rewrites to prove that a commit still reaches the disk.
  CREATE TABLE write_probe (id INTEGER PRIMARY KEY CHECK (id = 1), probed_at INTEGER NOT NULL) STRICT;
  INSERT INTO write_probe VALUES (1, 0);

  -- How far each import has come, written together with its pets; the source is a hash of the content.
  CREATE TABLE imports (
    source TEXT PRIMARY KEY,
    added_count INTEGER NOT NULL,
    finished_at INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pet_id INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'sold')),
    created_at INTEGER NOT NULL,
    -- Of the order as JSON; see stored-order.ts.
    checksum INTEGER NOT NULL
  ) STRICT;

  CREATE INDEX orders_by_status ON orders (status, id);
  `,
  5: `
  ALTER TABLE api_keys ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0 CHECK (read_only IN (0, 1));
  -- The id of the key that a rotation made in its place.
  ALTER TABLE api_keys ADD COLUMN replaced_by INTEGER;
  `,
  8: `
  -- Both are filled below. A name is folded for searches.
  ALTER TABLE pets ADD COLUMN folded_name TEXT;
  ALTER TABLE pets ADD COLUMN category_id INTEGER;

  ALTER TABLE orders ADD COLUMN created_by TEXT;
  ALTER TABLE orders ADD COLUMN returned_at INTEGER;
  ALTER TABLE orders ADD COLUMN returned_by TEXT;
  -- The pet as sold; null on orders from before.
  ALTER TABLE orders ADD COLUMN name TEXT;
  ALTER TABLE orders ADD COLUMN category_id INTEGER;
  CREATE INDEX orders_returned ON orders (id) WHERE returned_at IS NOT NULL;
  CREATE INDEX orders_by_pet ON orders (pet_id, id);
  CREATE INDEX orders_by_time ON orders (created_at, id);

  ALTER TABLE api_keys ADD COLUMN no_delete INTEGER NOT NULL DEFAULT 0 CHECK (no_delete IN (0, 1));

  -- A name for a number that pets may carry. The checksum covers the category as JSON.
  CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;

  -- Every change of a pet, in order; see rows.ts.
  CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    created_at INTEGER NOT NULL,
    created_by TEXT,
    type TEXT NOT NULL,
    pet_id INTEGER,
    json TEXT NOT NULL,
    previous TEXT
  ) STRICT;
  -- One row. The epoch names the log and is part of every cursor.
  CREATE TABLE event_log (id INTEGER PRIMARY KEY CHECK (id = 1), epoch TEXT NOT NULL) STRICT;
  INSERT INTO event_log VALUES (1, lower(hex(randomblob(8))));
  `,
};

export const newestVersion = Math.max(...Object.keys(steps).map(Number));

/** Refuses a database that is not ours, or whose schema this program does not know. Only reads. */
export function checkOwnership(database: Database, name: string): void {
  const version = readPragma(database, 'user_version');
  const owner = readPragma(database, 'application_id');
  if (!isWithoutSchema(database) && owner !== applicationId) {
    throw new OperatorError(
      `${name} is a SQLite database of another program.`,
      'Choose another file with --database-url.',
    );
  }
  if (version > newestVersion) throw newerSchema(name, version, newestVersion, release);
}

/** For commands that only read and cannot migrate. */
export function refuseOlderSchema(version: number, name: string): void {
  if (version === newestVersion) return;
  if (version === 0) throw new OperatorError(`${name} holds no store.`, 'Check the path.');
  throw new OperatorError(
    `${name} has schema version ${version}, and ${newestVersion} is needed.`,
    'Run petstore migrate first.',
  );
}

/** Migrates the schema in one transaction. Tests pass an earlier target. */
export function migrate(database: Database, target = newestVersion, report = noReport): void {
  const runSteps = database.transaction(() => {
    const version = readPragma(database, 'user_version');
    const isDue = (next: number): boolean => next > version && next <= target;
    for (const [next, step] of Object.entries(steps)) if (isDue(Number(next))) database.run(step);
    if (isDue(8)) fillSearchColumns(database, report);
    database.run(`PRAGMA application_id = ${applicationId}`);
    database.run(`PRAGMA user_version = ${target}`);
  });
  runSteps.immediate();
}

const petsAtOnce = 10_000;

function fillSearchColumns(database: Database, report: Report): void {
  const { total } = database.query('SELECT count(*) AS total FROM pets').get() as { total: number };
  const select = database.query<RenderedPet & { id: string }, [bigint]>(
    `SELECT ${selectStoredPet} FROM pets WHERE pets.id > ?1 ORDER BY pets.id LIMIT ${petsAtOnce}`,
  );
  const update = database.query(
    "UPDATE pets SET folded_name = ?2, category_id = json ->> 'categoryId' WHERE id = ?1",
  );
  using progress = report.progress('names made searchable', total);
  let last = 0n;
  for (let pets = select.all(last); pets.length > 0; pets = select.all(last)) {
    for (const { id, ...pet } of pets) {
      if (!isIntact(pet, id)) throw damaged(database.filename);
      last = BigInt(id);
      update.run(last, foldName((JSON.parse(pet.json) as NewPet).name));
    }
    progress.add(pets.length);
  }
}

/** Whether a database is still empty. */
export function isWithoutSchema(database: Database): boolean {
  return readPragma(database, 'schema_version') === 0;
}

export function readPragma(database: Database, name: string): number {
  const [value] = Object.values(database.query(`PRAGMA ${name}`).get() as Record<string, number>);
  return value ?? 0;
}
