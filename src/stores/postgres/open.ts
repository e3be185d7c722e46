import { OperatorError } from '../../domain/error.ts';
import { type CheckedStore, type CheckOptions, checkRows } from '../check.ts';
import type { StoreTables } from '../copy.ts';
import { createStore, type MakeOptions, type StoreOptions } from '../create-store.ts';
import type { Store } from '../store.ts';
import { parseAddress, type PostgresAddress } from './address.ts';
import { createEngine } from './engine.ts';
import { operatorError } from './errors.ts';
import { createReader } from './reader.ts';
import { refuseReader, warnOfOthers } from './rights.ts';
import { isWithoutSchema, prepareDatabase, refuseOtherEncodings, tryToMakeSchema } from './schema.ts';
import { limits } from './session.ts';
import { createSql, type Sql, writerCount } from './sql.ts';
import { createTx, sequences } from './tx.ts';

/** Opens the store to serve it. Makes its tables if they are missing. */
export async function openPostgresStore(options: StoreOptions & { address: string }): Promise<Store> {
  const { log, metrics } = options;
  const address = parseAddress(options.address);
  await usingSql(address, (sql) => prepareDatabase(sql, options));

  // Ignore the address's `connect_timeout`, because requests wait for these sessions.
  const serving = { ...address, connectionTimeoutMillis: limits.sessionMs };
  const sql = createSql(serving, { readerCount: address.connectionLimit - writerCount, log, metrics });
  metrics?.gauge('petstore_store_size_bytes', 'Size of the database.', async () => {
    const [row] = await sql.read<{ size: string }>(selectSize);
    return Number(row?.size);
  });
  // Read now, so that the log names the server at once. If it has just gone, the first request finds out.
  if (log) await warnOfOthers(sql.read, log).catch(() => {});
  return createStore(createEngine(sql, options), options);
}

const selectSize = { name: 'select-size', text: 'SELECT pg_database_size(current_database()) AS size' };

/** Opens the store for a command that reads or, with `mayCreate`, writes all of it. */
export async function openPostgresTables(options: MakeOptions & { address: string }): Promise<StoreTables> {
  const address = parseAddress(options.address);
  await usingSql(address, (sql) => prepareDatabase(sql, options));
  return tablesOf(createPatientSql(address));
}

/** Reads a whole store as a start would find it, and changes nothing. */
export function checkPostgres({
  address,
  log,
  report,
}: CheckOptions & { address: string }): Promise<CheckedStore> {
  return usingSql(parseAddress(address), async (sql) => {
    await refuseOtherEncodings(sql.read);
    await refuseReader(sql.read);
    const [row] = await sql.read<{ server_version: string }>('SHOW server_version');
    const engine = `PostgreSQL ${row?.server_version}`;
    if ((await isWithoutSchema(sql.read)) && (await tryToMakeSchema(sql)))
      return { engine, content: undefined };
    await warnOfOthers(sql.read, log);
    return { engine, content: await checkRows(tablesOf(sql), { report, damaged }) };
  });
}

function damaged(row: string): OperatorError {
  return new OperatorError(`The database is damaged at ${row}.`, 'Restore it with the tools of the server.');
}

function tablesOf(sql: Sql): StoreTables {
  const reader = createReader(sql);
  return {
    scan: (statement, values) => reader.scan(statement, values),
    write: (work) => sql.write(async (send) => work(createTx(send))),
    async lastId(table) {
      const [row] = await sql.read<{ id: string }>(
        `SELECT coalesce(pg_catalog.pg_sequence_last_value('${sequences[table]}'), 0) AS id`,
      );
      return BigInt(row?.id ?? 0);
    },
    async raiseLastId(table, id) {
      const sequence = sequences[table];
      const raise = `SELECT pg_catalog.setval('${sequence}', $1::bigint)
        WHERE $1::bigint > coalesce(pg_catalog.pg_sequence_last_value('${sequence}'), 0)`;
      await sql.write((send) => send(raise, [String(id)]));
    },
    close: () => sql.close(),
  };
}

/** Long enough for twenty replicas that start together, and for a command that reads or writes many rows. */
function createPatientSql(address: PostgresAddress): Sql {
  const timeouts = { lockMs: 10_000, statementMs: 60_000, silenceMs: 120_000 };
  return createSql(address, { readerCount: 1, timeouts, commitMs: 60_000 });
}

/** For a start or a command, whose failures are for the operator. */
async function usingSql<Result>(
  address: PostgresAddress,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const sql = createPatientSql(address);
  try {
    return await work(sql);
  } catch (error) {
    throw operatorError(error);
  } finally {
    await sql.close();
  }
}
