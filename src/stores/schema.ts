import { version as release } from '../../package.json';
import { OperatorError } from '../domain/error.ts';
import type { Statement } from './statement.ts';

/** The first version that is published. */
export const schemaVersion = 9;

/** The error for a store that another build made. */
export function otherSchema(store: string, version: number): OperatorError {
  const isNewer = version > schemaVersion;
  const build = isNewer ? '' : ', of an unpublished build';
  return new OperatorError(
    `${store} has schema version ${version}${build}; petstore ${release} knows version ${schemaVersion}.`,
    isNewer ? 'Use a newer release.' : 'Use the build that made it, or choose another store.',
  );
}

type Columns = Statement['input'];

/**
 * The tables of a store, alike on both engines. What callers read is stored as its JSON, rendered once, when it is
 * written; the other columns of these tables find rows. Times are milliseconds since 1970.
 */
export const tables = {
  pets: { id: 'bigint', json: 'text', status: 'text', category_id: 'bigint', folded_name: 'text' },
  orders: {
    ...{ id: 'bigint', json: 'text', pet_id: 'bigint', status: 'text' },
    ...{ created_at: 'bigint', returned_at: 'bigint' },
  },
  categories: { id: 'bigint', json: 'text' },
  events: { id: 'bigint', json: 'text', type: 'text', pet_id: 'bigint', created_at: 'bigint' },
  event_log: { id: 'bigint', epoch: 'text' },
  idempotency_keys: {
    caller: 'text',
    key: 'text',
    request_hash: 'text',
    pet_id: 'bigint',
    created_at: 'bigint',
  },
  api_keys: {
    ...{ id: 'bigint', name: 'text', hash: 'text', last_four: 'text', read_only: 'boolean' },
    ...{ may_delete: 'boolean', created_at: 'bigint', expires_at: 'bigint', revoked_at: 'bigint' },
    last_used_at: 'bigint',
  },
} as const satisfies Record<string, Columns>;

export type TableName = keyof typeof tables;

export const tableNames = Object.keys(tables);

/** A column of a database, with its type in the words of the engine. A view has none. */
export interface Column {
  table: string;
  column: string;
  type: string;
}

/**
 * Refuses a store whose tables are not those of this version, whatever version it claims. The order of the columns does
 * not matter, because statements name them.
 */
export function refuseOtherTables(
  store: string,
  columns: readonly Column[],
  typeNames: Record<Columns[string], string>,
): void {
  const byTable = Map.groupBy(columns, ({ table }) => table);
  for (const [table, ownColumns] of Object.entries(tables)) {
    const expected = Object.entries(ownColumns).map(([column, type]) => `${column} ${typeNames[type]}`);
    const actual = (byTable.get(table) ?? []).map(({ column, type }) => `${column} ${type}`);
    const odd = new Set(expected).symmetricDifference(new Set(actual));
    if (odd.size === 0) continue;
    throw new OperatorError(
      actual.length === 0
        ? `There is no table ${table} in ${store}, which claims schema version ${schemaVersion}.`
        : `The table ${table} of ${store} is not that of schema version ${schemaVersion}. ` +
            `It differs in ${[...odd].join(', ')}.`,
      'Find out who changed it, and use a store or a backup with the tables as petstore made them.',
    );
  }
}

const sqlite = {
  int64: 'INTEGER',
  text: 'TEXT',
  flag: 'INTEGER',
  /** The primary key of a table whose ids are drawn, and never used twice. */
  drawnId: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  options: 'STRICT',
  /** For a table without an id. */
  keyedOptions: 'STRICT, WITHOUT ROWID',
  randomName: 'lower(hex(randomblob(8)))',
};

const postgres: typeof sqlite = {
  int64: 'bigint',
  // Sorted by bytes, as on SQLite.
  text: 'text COLLATE "C"',
  flag: 'boolean',
  drawnId: 'bigint PRIMARY KEY',
  options: '',
  keyedOptions: '',
  randomName: "replace(gen_random_uuid()::text, '-', '')",
};

const postgresOnly = `
  CREATE SEQUENCE pet_ids AS bigint;
  CREATE SEQUENCE order_ids AS bigint;
  CREATE SEQUENCE api_key_ids AS bigint;

  CREATE TABLE petstore_schema (id integer PRIMARY KEY CHECK (id = 1), version integer NOT NULL);
  INSERT INTO petstore_schema VALUES (1, ${schemaVersion});`;

/** No foreign keys: an order stays when its pet is deleted. */
function tablesIn(engine: typeof sqlite): string {
  const { int64, text, flag, drawnId, options, keyedOptions, randomName } = engine;
  return `
  CREATE TABLE pets (
    id ${drawnId},
    json ${text} NOT NULL,
    status ${text} CHECK (status IN ('available', 'pending', 'sold')),
    category_id ${int64} NOT NULL,
    folded_name ${text} NOT NULL
  ) ${options};
  CREATE INDEX pets_by_status ON pets (status, id) WHERE status IS NOT NULL;

  CREATE TABLE orders (
    id ${drawnId},
    json ${text} NOT NULL,
    pet_id ${int64} NOT NULL,
    status ${text} NOT NULL CHECK (status IN ('pending', 'sold')),
    created_at ${int64} NOT NULL,
    returned_at ${int64}
  ) ${options};
  CREATE INDEX orders_by_status ON orders (status, id);
  CREATE INDEX orders_by_pet ON orders (pet_id, id);
  CREATE INDEX orders_by_time ON orders (created_at, id);
  CREATE INDEX orders_returned ON orders (id) WHERE returned_at IS NOT NULL;

  -- A name for a number that pets may carry.
  CREATE TABLE categories (id ${int64} PRIMARY KEY, json ${text} NOT NULL) ${options};

  -- Every change of a pet or a category, in the order of the commits. The JSON lacks the id.
  CREATE TABLE events (
    id ${int64} PRIMARY KEY,
    json ${text} NOT NULL,
    type ${text} NOT NULL,
    pet_id ${int64},
    created_at ${int64} NOT NULL
  ) ${options};
  -- One row. The epoch names the log and is part of every cursor.
  CREATE TABLE event_log (id ${int64} PRIMARY KEY CHECK (id = 1), epoch ${text} NOT NULL) ${options};
  INSERT INTO event_log VALUES (1, ${randomName});

  CREATE TABLE api_keys (
    id ${drawnId},
    name ${text} NOT NULL,
    hash ${text} NOT NULL UNIQUE,
    last_four ${text} NOT NULL,
    read_only ${flag} NOT NULL,
    may_delete ${flag} NOT NULL,
    created_at ${int64} NOT NULL,
    expires_at ${int64},
    revoked_at ${int64},
    last_used_at ${int64}
  ) ${options};

  CREATE TABLE idempotency_keys (
    caller ${text} NOT NULL,
    key ${text} NOT NULL,
    request_hash ${text} NOT NULL,
    pet_id ${int64} NOT NULL,
    created_at ${int64} NOT NULL,
    PRIMARY KEY (caller, key)
  ) ${keyedOptions};
  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);`;
}

/** The statements that make the tables of an empty store. */
export const definitions = { sqlite: tablesIn(sqlite), postgres: tablesIn(postgres) + postgresOnly };
