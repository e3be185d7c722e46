import type { QueryResultRow } from 'pg';
import type { ApiKey } from '../api-key.ts';
import type { BulkStore, BulkTable, IdempotencyRecord, ImportRecord } from '../bulk-store.ts';
import { IdTakenError } from '../error.ts';
import type { Pet } from '../pet.ts';
import { parseAddress, type Environment } from './address.ts';
import { smallestId } from './dialect/dialect.ts';
import type { Connection, Values } from './session/connection.ts';
import { openConnection } from './session/hosts.ts';
import { explain, isIdTaken, unavailable } from './errors.ts';
import { apiKeyOf, keyColumns, type KeyRow } from './keys.ts';
import { refuseMissingSchema } from './migrate.ts';
import { prepareDatabase } from './open.ts';
import { petColumns, petOf, type PetRow } from './pet-row.ts';

export interface PostgresBulkOptions {
  address: string;
  environment?: Environment;
  /** A schema that is not there is made; otherwise that is an error. */
  mayCreate: boolean;
}

const timeouts = { lockMs: 10_000, statementMs: 60_000 };
const startWithinMs = 3000;

export async function openPostgresBulk(options: PostgresBulkOptions): Promise<BulkStore> {
  const address = parseAddress(options.address, options.environment ?? {});
  if (options.mayCreate) await prepareDatabase(address, startWithinMs);
  const connection = await openConnection({ address, timeouts, refuseWarnings: true }).catch(
    (error: unknown) => {
      throw explain(error);
    },
  );
  try {
    await refuseMissingSchema(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    pets: petTable(connection),
    keys: keyTable(connection),
    idempotencyRecords: idempotencyTable(connection),
    imports: importTable(connection),
    close: () => connection.close(),
  };
}

function petTable(connection: Connection): BulkTable<Pet> {
  return {
    count: () => countOf(connection, 'pets'),
    async read(after, limit) {
      const rows = await run<PetRow>(
        connection,
        `SELECT ${petColumns} FROM pets WHERE id > $1::bigint ORDER BY id LIMIT ${limit}`,
        [String(after?.id ?? smallestId)],
      );
      return rows.map(petOf);
    },
    async write(pets) {
      // The sequence follows in the same statement, so that a copy cut short is a store that can be used.
      await run(
        connection,
        `WITH given AS (
           SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[])
             AS given (id, name, category_id, status)
         ), inserted AS (
           INSERT INTO pets (id, name, category_id, status) SELECT id, name, category_id, status FROM given
           RETURNING 1
         )
         SELECT setval('pet_ids', greatest(last_value, (SELECT max(id) FROM given))) FROM pet_ids`,
        [
          pets.map(({ id }) => String(id)),
          pets.map(({ name }) => name),
          pets.map(({ categoryId }) => String(categoryId)),
          pets.map(({ status }) => status ?? null),
        ],
      );
    },
  };
}

function keyTable(connection: Connection): BulkTable<ApiKey> {
  return {
    count: () => countOf(connection, 'api_keys'),
    async read(after, limit) {
      const rows = await run<KeyRow>(
        connection,
        `SELECT ${keyColumns} FROM api_keys WHERE id > $1::bigint ORDER BY api_keys.id LIMIT ${limit}`,
        [after?.id ?? String(smallestId)],
      );
      return rows.map(apiKeyOf);
    },
    async write(keys) {
      const time = (date: Date | undefined) => date?.getTime() ?? null;
      await run(
        connection,
        `WITH changed AS (UPDATE key_changes SET version = version + 1 RETURNING 1), given AS (
           SELECT * FROM unnest(
             $1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[]
           ) AS given (id, name, hash, last_four, created_at, expires_at, revoked_at, last_used_at)
         ), inserted AS (
           INSERT INTO api_keys (id, name, hash, last_four, created_at, expires_at, revoked_at, last_used_at)
           SELECT * FROM given RETURNING 1
         )
         SELECT setval('api_key_ids', greatest(last_value, (SELECT max(id) FROM given))) FROM api_key_ids`,
        [
          keys.map(({ id }) => id),
          keys.map(({ name }) => name),
          keys.map(({ hash }) => hash),
          keys.map(({ lastFour }) => lastFour),
          keys.map(({ createdAt }) => time(createdAt)),
          keys.map(({ expiresAt }) => time(expiresAt)),
          keys.map(({ revokedAt }) => time(revokedAt)),
          keys.map(({ lastUsedAt }) => time(lastUsedAt)),
        ],
      );
    },
  };
}

interface RecordRow {
  caller: string;
  key: string;
  request_hash: string;
  pet_id: string;
  created_at: string;
}

function idempotencyTable(connection: Connection): BulkTable<IdempotencyRecord> {
  return {
    count: () => countOf(connection, 'idempotency_keys'),
    async read(after, limit) {
      const rows = await run<RecordRow>(
        connection,
        `SELECT caller, key, request_hash, pet_id::text, created_at FROM idempotency_keys
         WHERE (created_at, pet_id) > ($1::bigint, $2::bigint)
         ORDER BY created_at, idempotency_keys.pet_id LIMIT ${limit}`,
        [after?.createdAt.getTime() ?? -1, String(after?.petId ?? smallestId)],
      );
      return rows.map((row) => ({
        caller: row.caller,
        key: row.key,
        requestHash: row.request_hash,
        petId: BigInt(row.pet_id),
        createdAt: new Date(Number(row.created_at)),
      }));
    },
    async write(records) {
      await run(
        connection,
        `INSERT INTO idempotency_keys (caller, key, request_hash, pet_id, created_at)
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])`,
        [
          records.map(({ caller }) => caller),
          records.map(({ key }) => key),
          records.map(({ requestHash }) => requestHash),
          records.map(({ petId }) => String(petId)),
          records.map(({ createdAt }) => createdAt.getTime()),
        ],
      );
    },
  };
}

interface ImportRow {
  source: string;
  added_count: string;
  finished_at: string | null;
}

function importTable(connection: Connection): BulkTable<ImportRecord> {
  return {
    count: () => countOf(connection, 'imports'),
    async read(after, limit) {
      const rows = await run<ImportRow>(
        connection,
        // In the order of the bytes, as SQLite has it, not in that of the server's language.
        `SELECT source, added_count, finished_at FROM imports
         WHERE source COLLATE "C" > $1 ORDER BY source COLLATE "C" LIMIT ${limit}`,
        [after?.source ?? ''],
      );
      return rows.map(importOf);
    },
    async write(imports) {
      await run(
        connection,
        `INSERT INTO imports (source, added_count, finished_at)
         SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[])`,
        [
          imports.map(({ source }) => source),
          imports.map(({ addedCount }) => addedCount),
          imports.map(({ finishedAt }) => finishedAt?.getTime() ?? null),
        ],
      );
    },
  };
}

function importOf({ source, added_count: addedCount, finished_at: finishedAt }: ImportRow): ImportRecord {
  return {
    source,
    addedCount: Number(addedCount),
    ...(finishedAt !== null && { finishedAt: new Date(Number(finishedAt)) }),
  };
}

async function countOf(connection: Connection, table: string): Promise<number> {
  const [row] = await run<{ count: string }>(connection, `SELECT count(*) AS count FROM ${table}`);
  return Number(row?.count);
}

async function run<Row extends QueryResultRow>(
  connection: Connection,
  text: string,
  values: Values = [],
): Promise<Row[]> {
  try {
    return await connection.query<Row>(text, values);
  } catch (error) {
    if (isIdTaken(error)) throw new IdTakenError('A pet with this id exists already.', { cause: error });
    throw connection.isOpen ? error : unavailable(error);
  }
}
