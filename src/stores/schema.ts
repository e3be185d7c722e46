import { version as release } from '../../package.json';
import { OperatorError } from '../domain/error.ts';

/** The first version that is published. */
export const schemaVersion = 9;

/** For those who open a store that may be missing. */
export interface MakeOptions {
  /** Called if there was no store and one was made. */
  onMade?: (() => void) | undefined;
}

/** The error for a store that another build made. */
export function otherSchema(store: string, version: number): OperatorError {
  const isNewer = version > schemaVersion;
  const build = isNewer ? '' : ', of an unpublished build';
  return new OperatorError(
    `${store} has schema version ${version}${build}; petstore ${release} knows version ${schemaVersion}.`,
    isNewer ? 'Use a newer release.' : 'Use the build that made it, or choose another store.',
  );
}

/** How an engine writes what both keep. */
interface Dialect {
  int64: string;
  flag: (column: string) => string;
  /** The primary key of a table whose ids are drawn, and never used twice. */
  drawnId: (sequence: string) => string;
  /** Follow the columns of a table; the second is for one without an id. */
  options: string;
  keyedOptions: string;
  /** An SQL expression. */
  randomName: string;
  /** What only this engine keeps, before and after the common tables. */
  before: string;
  after: string;
  /** The columns of a pet that callers read. */
  pet: string;
  /** The column at the end of other rows that callers read. */
  checksum: string;
}

const sqlite: Dialect = {
  int64: 'INTEGER',
  flag: (column) => `INTEGER NOT NULL CHECK (${column} IN (0, 1))`,
  drawnId: () => 'INTEGER PRIMARY KEY AUTOINCREMENT',
  options: 'STRICT',
  keyedOptions: 'STRICT, WITHOUT ROWID',
  randomName: 'lower(hex(randomblob(8)))',
  before: '',
  after: '',
  // See rows.ts.
  pet: 'json text NOT NULL, checksum INTEGER NOT NULL',
  checksum: ', checksum INTEGER NOT NULL',
};

const postgres: Dialect = {
  int64: 'bigint',
  flag: () => 'boolean NOT NULL',
  drawnId: (sequence) => `bigint PRIMARY KEY DEFAULT nextval('${sequence}'::regclass)`,
  options: '',
  keyedOptions: '',
  randomName: "replace(gen_random_uuid()::text, '-', '')",
  before: `
  -- Sequences and not identity columns: a create draws its id before it inserts.
  CREATE SEQUENCE pet_ids AS bigint;
  CREATE SEQUENCE order_ids AS bigint;
  CREATE SEQUENCE api_key_ids AS bigint;
  `,
  after: `
  -- One row: an import that keeps its ids must not use that of a deleted pet. The sequence does not tell, because it also
  -- moves past ids of pets that were never committed.
  CREATE TABLE deletions (id integer PRIMARY KEY CHECK (id = 1), largest_pet_id bigint NOT NULL);
  INSERT INTO deletions VALUES (1, 0);

  CREATE TABLE petstore_schema (id integer PRIMARY KEY CHECK (id = 1), version integer NOT NULL);
  INSERT INTO petstore_schema VALUES (1, ${schemaVersion});
  `,
  pet: 'name text NOT NULL',
  checksum: '',
};

/** Times are milliseconds since 1970. No foreign keys: an order stays when its pet is deleted. */
function tablesIn(dialect: Dialect): string {
  const { int64, flag, drawnId, options, keyedOptions, randomName, before, after, pet, checksum } = dialect;
  return `${before}
  CREATE TABLE pets (
    id ${drawnId('pet_ids')},
    ${pet},
    status text CHECK (status IN ('available', 'pending', 'sold')),
    category_id ${int64} NOT NULL,
    -- For searches.
    folded_name text
  ) ${options};
  CREATE INDEX pets_by_status ON pets (status, id) WHERE status IS NOT NULL;

  -- The name and the category are those of the pet as sold.
  CREATE TABLE orders (
    id ${drawnId('order_ids')},
    pet_id ${int64} NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'sold')),
    created_at ${int64} NOT NULL,
    created_by text,
    returned_at ${int64},
    returned_by text,
    name text,
    category_id ${int64}${checksum}
  ) ${options};
  CREATE INDEX orders_by_status ON orders (status, id);
  CREATE INDEX orders_by_pet ON orders (pet_id, id);
  CREATE INDEX orders_by_time ON orders (created_at, id);
  CREATE INDEX orders_returned ON orders (id) WHERE returned_at IS NOT NULL;

  -- A name for a number that pets may carry.
  CREATE TABLE categories (id ${int64} PRIMARY KEY, name text NOT NULL${checksum}) ${options};

  -- Every change of a pet, in the order of the commits.
  CREATE TABLE events (
    id ${int64} PRIMARY KEY,
    created_at ${int64} NOT NULL,
    created_by text,
    type text NOT NULL,
    pet_id ${int64},
    json text NOT NULL,
    previous text
  ) ${options};
  -- One row. The epoch names the log and is part of every cursor.
  CREATE TABLE event_log (id integer PRIMARY KEY CHECK (id = 1), epoch text NOT NULL) ${options};
  INSERT INTO event_log VALUES (1, ${randomName});

  CREATE TABLE api_keys (
    id ${drawnId('api_key_ids')},
    name text NOT NULL,
    hash text NOT NULL UNIQUE,
    last_four text NOT NULL,
    read_only ${flag('read_only')},
    no_delete ${flag('no_delete')},
    created_at ${int64} NOT NULL,
    expires_at ${int64},
    revoked_at ${int64},
    last_used_at ${int64}
  ) ${options};

  CREATE TABLE idempotency_keys (
    caller text NOT NULL,
    key text NOT NULL,
    request_hash text NOT NULL,
    pet_id ${int64} NOT NULL,
    created_at ${int64} NOT NULL,
    PRIMARY KEY (caller, key)
  ) ${keyedOptions};
  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

  -- How far each import has come, written together with its pets; the source is a hash of the content.
  CREATE TABLE imports (
    source text PRIMARY KEY,
    added_count ${int64} NOT NULL,
    finished_at ${int64}
  ) ${keyedOptions};
  ${after}`;
}

/** The statements that make the tables of an empty store. */
export const tables = { sqlite: tablesIn(sqlite), postgres: tablesIn(postgres) };
