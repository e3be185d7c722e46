import type { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import type { ApiKey } from '../api-key.ts';
import type { BulkStore, BulkTable, IdempotencyRecord, StoredPet } from '../bulk.ts';
import { OperatorError } from '../error.ts';
import type { PetStatus } from '../pet.ts';
import { connect, makeDurable } from './connect.ts';
import { keyOf, type KeyRow } from './keys.ts';
import { openSqliteStore } from './open.ts';

export interface SqliteBulkOptions {
  path: string;
  /** A store that is not there is made; otherwise that is an error. */
  mayCreate: boolean;
}

export async function openSqliteBulk({ path, mayCreate }: SqliteBulkOptions): Promise<BulkStore> {
  if (!mayCreate && !existsSync(path)) throw new OperatorError(`There is no store at ${path}.`);
  // Makes, checks and migrates the file as the service does.
  await openSqliteStore({ path }).close();
  const database = connect(path);
  makeDurable(database);
  return {
    pets: petTable(database),
    keys: keyTable(database),
    idempotencyRecords: idempotencyTable(database),
    async close() {
      database.close();
    },
  };
}

interface PetRow {
  id: string;
  name: string;
  categoryId: string;
  status: PetStatus | null;
}

function petTable(database: Database): BulkTable<StoredPet> {
  const select = database.query<PetRow, [string, number]>(
    `SELECT CAST(id AS TEXT) AS id, name, CAST(category_id AS TEXT) AS categoryId, status
     FROM pets WHERE id > CAST(?1 AS INTEGER) ORDER BY pets.id LIMIT ?2`,
  );
  const insert = database.query(
    `INSERT INTO pets (id, name, category_id, status)
     VALUES (CAST(?1 AS INTEGER), ?2, CAST(?3 AS INTEGER), ?4)`,
  );
  return {
    count: async () => countOf(database, 'pets'),
    read: async (after, limit) => select.all(String(after?.id ?? smallestId), limit).map(petOf),
    write: inTransaction(database, ({ id, name, categoryId, status }) =>
      insert.run(String(id), name, String(categoryId), status ?? null),
    ),
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
    read: async (after, limit) => select.all(String(after?.id ?? smallestId), limit).map(keyOf),
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

function petOf({ id, name, categoryId, status }: PetRow): StoredPet {
  return { id: BigInt(id), name, categoryId: BigInt(categoryId), ...(status !== null && { status }) };
}

function recordOf({ petId, createdAt, ...row }: RecordRow): IdempotencyRecord {
  return { ...row, petId: BigInt(petId), createdAt: new Date(createdAt) };
}

const smallestId = -(2n ** 63n);

function countOf(database: Database, table: string): number {
  return (database.query(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count;
}

function inTransaction<Row>(database: Database, insert: (row: Row) => unknown): BulkTable<Row>['write'] {
  const insertAll = database.transaction((rows: readonly Row[]) => rows.forEach(insert));
  return async (rows) => insertAll.immediate(rows);
}
