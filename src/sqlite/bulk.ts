import type { Database } from 'bun:sqlite';
import type { ApiKey } from '../api-key.ts';
import type { BulkStore, BulkTable, IdempotencyRecord, ImportRecord, StoredPet } from '../bulk-store.ts';
import { OperatorError } from '../error.ts';
import { int64Range, parseExactJson } from '../int64.ts';
import { parseNewPet } from '../pet.ts';
import { explainOpening, refuseUnusable } from './opening/check-store.ts';
import { damaged, explain, isDamage, storeMoved, translateError } from './errors.ts';
import { toApiKey, type KeyRow } from './keys.ts';
import { refuseOlderSchema } from './migrate.ts';
import { openWritable } from './opening/open-writable.ts';
import { openExisting } from './opening/opened-store.ts';
import { openReadOnly, type ReadOnlyStore } from './opening/read-only.ts';
import { isInPlace } from './opening/store-file.ts';
import {
  checksumOf,
  isIntact,
  renderFields,
  renderPet,
  storedPetColumns,
  type RenderedPet,
} from './stored-pet.ts';

export interface SqliteBulkOptions {
  path: string;
  /** A store that is not there is made, and an older one brought up to date; otherwise either is an error. */
  mayCreate: boolean;
}

export async function openSqliteBulk({ path, mayCreate }: SqliteBulkOptions): Promise<BulkStore> {
  const { database, refuseChanged } = mayCreate ? openForWriting(path) : openForReading(path);
  const translated = createTranslation(path, refuseChanged);
  try {
    return {
      pets: translated(petTable(database, path)),
      keys: translated(keyTable(database)),
      idempotencyRecords: translated(idempotencyTable(database)),
      imports: translated(importTable(database)),
      async close() {
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw explain(error, path);
  }
}

interface OpenedBulk {
  database: Database;
  refuseChanged: () => void;
}

function openForWriting(name: string): OpenedBulk {
  const { store, database } = openWritable(name);
  const refuseChanged = (): void => {
    if (!isInPlace(store)) throw storeMoved(store);
  };
  return { database, refuseChanged };
}

/** Opens a store for whoever only reads it: no byte of it changes. */
function openForReading(name: string): OpenedBulk {
  const store = openExisting(name);
  if (!store) throw new OperatorError(`There is no store at ${name}. Check the path.`);
  refuseUnusable(store);
  let opened: ReadOnlyStore | undefined;
  try {
    opened = openReadOnly(store);
    refuseOlderSchema(opened.database, name);
    return opened;
  } catch (error) {
    opened?.[Symbol.dispose]();
    throw explainOpening(error, store);
  }
}

/** Gives tables failures that the operator understands: damage, and a store that cannot be used now. */
function createTranslation(path: string, refuseChanged: () => void) {
  const attempt = async <Result>(running: Promise<Result>): Promise<Result> => {
    try {
      const result = await running;
      refuseChanged();
      return result;
    } catch (error) {
      throw isDamage(error) ? explain(error, path) : translateError(error);
    }
  };
  return <Row>(table: BulkTable<Row>): BulkTable<Row> => ({
    count: () => attempt(table.count()),
    read: (after, limit) => attempt(table.read(after, limit)),
    write: (rows) => attempt(table.write(rows)),
  });
}

function petTable(database: Database, path: string): BulkTable<StoredPet> {
  const select = database.query<RenderedPet & { id: string }, [string, number]>(
    `SELECT CAST(id AS TEXT) AS id, ${storedPetColumns} FROM pets
     WHERE id > CAST(?1 AS INTEGER) ORDER BY pets.id LIMIT ?2`,
  );
  const petOf = ({ id, ...pet }: RenderedPet & { id: string }): StoredPet => {
    if (!isIntact(pet, id)) throw damaged(path);
    return { id: BigInt(id), ...parseNewPet(parseExactJson(pet.json)) };
  };
  const insert = database.query('INSERT INTO pets (id, status, json, checksum) VALUES (?1, ?2, ?3, ?4)');
  return {
    count: async () => countOf(database, 'pets'),
    read: async (after, limit) => select.all(String(after?.id ?? smallestId), limit).map(petOf),
    write: inTransaction(database, ({ id, ...pet }) => {
      const json = renderPet(id, renderFields(pet));
      return insert.run(id, pet.status ?? null, json, checksumOf(json));
    }),
  };
}

function keyTable(database: Database): BulkTable<ApiKey> {
  const select = database.query<KeyRow, [string, number]>(
    `SELECT CAST(id AS TEXT) AS id, name, hash, last_four AS lastFour, created_at AS createdAt,
       expires_at AS expiresAt, revoked_at AS revokedAt, last_used_at AS lastUsedAt
     FROM api_keys WHERE id > CAST(?1 AS INTEGER) ORDER BY api_keys.id LIMIT ?2`,
  );
  const insert = database.query(
    'INSERT INTO api_keys VALUES (CAST(?1 AS INTEGER), ?2, ?3, ?4, ?5, ?6, ?7, ?8)',
  );
  return {
    count: async () => countOf(database, 'api_keys'),
    read: async (after, limit) => select.all(String(after?.id ?? smallestId), limit).map(toApiKey),
    write: inTransaction(database, (key) =>
      insert.run(
        ...[key.id, key.name, key.hash, key.lastFour, key.createdAt.getTime()],
        key.expiresAt?.getTime() ?? null,
        key.revokedAt?.getTime() ?? null,
        key.lastUsedAt?.getTime() ?? null,
      ),
    ),
  };
}

type RecordRow = Omit<IdempotencyRecord, 'petId' | 'createdAt'> & { petId: string; createdAt: number };

function idempotencyTable(database: Database): BulkTable<IdempotencyRecord> {
  const select = database.query<RecordRow, [number, string, number]>(
    `SELECT caller, key, request_hash AS requestHash, CAST(pet_id AS TEXT) AS petId, created_at AS createdAt
     FROM idempotency_keys WHERE (created_at, pet_id) > (?1, CAST(?2 AS INTEGER))
     ORDER BY created_at, pet_id LIMIT ?3`,
  );
  const insert = database.query('INSERT INTO idempotency_keys VALUES (?1, ?2, ?3, CAST(?4 AS INTEGER), ?5)');
  return {
    count: async () => countOf(database, 'idempotency_keys'),
    read: async (after, limit) =>
      select.all(after?.createdAt.getTime() ?? -1, String(after?.petId ?? smallestId), limit).map(recordOf),
    write: inTransaction(database, ({ caller, key, requestHash, petId, createdAt }) =>
      insert.run(caller, key, requestHash, String(petId), createdAt.getTime()),
    ),
  };
}

interface ImportRow {
  source: string;
  addedCount: number;
  finishedAt: number | null;
}

function importTable(database: Database): BulkTable<ImportRecord> {
  const select = database.query<ImportRow, [string, number]>(
    `SELECT source, added_count AS addedCount, finished_at AS finishedAt FROM imports
     WHERE source > ?1 ORDER BY source LIMIT ?2`,
  );
  const insert = database.query('INSERT INTO imports VALUES (?1, ?2, ?3)');
  return {
    count: async () => countOf(database, 'imports'),
    read: async (after, limit) => select.all(after?.source ?? '', limit).map(importOf),
    write: inTransaction(database, ({ source, addedCount, finishedAt }) =>
      insert.run(source, addedCount, finishedAt?.getTime() ?? null),
    ),
  };
}

function importOf({ finishedAt, ...row }: ImportRow): ImportRecord {
  return { ...row, ...(finishedAt !== null && { finishedAt: new Date(finishedAt) }) };
}

function recordOf({ petId, createdAt, ...row }: RecordRow): IdempotencyRecord {
  return { ...row, petId: BigInt(petId), createdAt: new Date(createdAt) };
}

const { smallest: smallestId } = int64Range;

function countOf(database: Database, table: string): number {
  return (database.query(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count;
}

function inTransaction<Row>(database: Database, insert: (row: Row) => unknown): BulkTable<Row>['write'] {
  const insertAll = database.transaction((rows: readonly Row[]) => rows.forEach(insert));
  return async (rows) => insertAll.immediate(rows);
}
