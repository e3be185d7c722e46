import { Database } from 'bun:sqlite';
import { version as release } from '../../../package.json';
import { OperatorError } from '../../domain/error.ts';
import { foldName } from '../../domain/fold.ts';
import { newerSchema, type Migration } from '../../domain/migration.ts';
import type { NewPet } from '../../domain/pet.ts';
import type { Report } from '../../domain/progress.ts';
import { damaged } from '../errors.ts';
import { isIntact, selectStoredPet, type RenderedPet } from './stored-pet.ts';

/** "pets" in ASCII. Marks a database file as ours, so that we never write to another program's. */
const applicationId = 0x70657473;

/**
 * Each leads from the version before to its own; the first release had version 4. A released step never changes, not even
 * in its spaces: the text of a store's schema is compared with what these make.
 */
const steps: Record<number, string> = {
  4: `
  -- Each pet is kept as its JSON with a checksum; see stored-pet.ts.
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
  6: `
  -- Null until it is filled, which takes too long for this transaction: see foldNames().
  ALTER TABLE pets ADD COLUMN folded_name TEXT;
  CREATE INDEX pets_unfolded ON pets (id) WHERE folded_name IS NULL;

  ALTER TABLE orders ADD COLUMN created_by TEXT;
  CREATE INDEX orders_by_pet ON orders (pet_id, id);
  `,
};

export const newestVersion = Math.max(...Object.keys(steps).map(Number));

/**
 * Refuses a database that is not ours, is newer than this program, or has another schema than we make. Reads only. Call
 * it before any table is read.
 */
export function checkOwnership(database: Database, path: string): void {
  const version = readPragma(database, 'user_version');
  const owner = readPragma(database, 'application_id');
  if (!isWithoutSchema(database) && owner !== applicationId) {
    throw new OperatorError(
      `${path} is a SQLite database of another program.`,
      'Choose another file with --database-url.',
    );
  }
  if (version > newestVersion) throw newerSchema(path, version, newestVersion, release);
  refuseForeignSchema(database, path, version);
}

interface SchemaRow {
  type: string;
  name: string;
  tbl_name: string;
  sql: string | null;
}

/**
 * Compares the schema with that of a fresh store of this version. A trigger could undo what is written, and a view in a
 * table's place could invent what is read. Only indexes and SQLite's statistics may be added.
 */
function refuseForeignSchema(database: Database, path: string, version: number): void {
  // Of a version below 0, nothing is ours.
  const missing = freshSchema(Math.max(version, 0));
  for (const row of readSchema(database)) {
    const isOurs = missing.delete(JSON.stringify(row));
    const isHarmless = row.type === 'index' || (row.type === 'table' && row.name.startsWith('sqlite_stat'));
    if (!isOurs && !isHarmless) throw foreignSchema(path, `holds a ${row.type} ${row.name}`);
  }
  const [first] = missing;
  if (first === undefined) return;
  const { type, name } = JSON.parse(first) as SchemaRow;
  throw foreignSchema(path, `lacks the ${type} ${name}, or holds another one`);
}

function freshSchema(version: number): Set<string> {
  using database = new Database(':memory:');
  migrate(database, version);
  return new Set(readSchema(database).map((row) => JSON.stringify(row)));
}

function readSchema(database: Database): SchemaRow[] {
  return database.query<SchemaRow, []>('SELECT type, name, tbl_name, sql FROM sqlite_schema').all();
}

function foreignSchema(path: string, finding: string): OperatorError {
  return new OperatorError(
    `${path} is not as petstore made it: it ${finding}.`,
    'Nothing was changed. Use a backup that nobody has changed: petstore restore FILE --force',
  );
}

/** Whether a store of this version holds data that a migration changes. */
export function isOlder(version: number): boolean {
  return version > 0 && version < newestVersion;
}

/** Refuses a schema that is not up to date; for commands that only read. */
export function refuseOlderSchema(version: number, path: string): void {
  if (version === newestVersion) return;
  if (version === 0) throw new OperatorError(`${path} holds no store.`, 'Check the path.');
  throw new OperatorError(
    `${path} has schema version ${version}, and ${newestVersion} is needed.`,
    'Run petstore migrate first.',
  );
}

/**
 * Brings the schema up to date, in one transaction; safe when several processes start together. Returns what happened to
 * a store that was there. Tests stop earlier.
 */
export function migrate(database: Database, target = newestVersion): Migration | undefined {
  if (readPragma(database, 'user_version') === target) return undefined;
  return database
    .transaction(() => {
      const version = readPragma(database, 'user_version');
      // A newer release may have migrated it meanwhile.
      if (version > target) throw newerSchema(database.filename, version, target, release);
      for (const [next, step] of Object.entries(steps)) {
        if (Number(next) > version && Number(next) <= target) database.run(step);
      }
      database.run(`PRAGMA application_id = ${applicationId}`);
      database.run(`PRAGMA user_version = ${target}`);
      return isOlder(version) ? { from: version, to: target } : undefined;
    })
    .immediate();
}

const namesPerCommit = 50_000;

/** Folds the names that an older release has written. After a kill, the next start goes on behind the last commit. */
export function foldNames(database: Database, path: string, report: Report): void {
  const unfolded = 'FROM pets WHERE folded_name IS NULL';
  if (!database.query(`SELECT 1 ${unfolded} LIMIT 1`).get()) return;
  const { total } = database.query(`SELECT count(*) AS total ${unfolded}`).get() as { total: number };
  const select = database.query<RenderedPet & { id: string }, []>(
    `SELECT ${selectStoredPet} ${unfolded} ORDER BY pets.id LIMIT ${namesPerCommit}`,
  );
  const update = database.query('UPDATE pets SET folded_name = ?2 WHERE id = CAST(?1 AS INTEGER)');
  const foldSome = database.transaction(() => {
    const pets = select.all();
    for (const { id, ...pet } of pets) {
      if (!isIntact(pet, id)) throw damaged(path);
      update.run(id, foldName((JSON.parse(pet.json) as NewPet).name));
    }
    return pets.length;
  });
  using progress = report.progress('names made searchable', total);
  for (let count = foldSome.immediate(); count > 0; count = foldSome.immediate()) progress.add(count);
}

/** Whether nothing was ever made in a database. */
export function isWithoutSchema(database: Database): boolean {
  return readPragma(database, 'schema_version') === 0;
}

export function readPragma(database: Database, name: string): number {
  const [value] = Object.values(database.query(`PRAGMA ${name}`).get() as Record<string, number>);
  return value ?? 0;
}
