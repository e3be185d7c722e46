import type { StoreTables } from '../copy.ts';
import { type Environment, parseAddress } from './address.ts';
import { createReader, createTx, sequences } from './engine.ts';
import type { MakeOptions } from '../schema.ts';
import { prepareDatabase } from './schema.ts';
import { createSql } from './sessions.ts';

/** With `mayCreate`, makes a missing store; otherwise that is an error, and nothing can be written. */
export interface TablesOptions extends MakeOptions {
  address: string;
  environment?: Environment;
}

const timeouts = { lockMs: 10_000, statementMs: 60_000, silenceMs: 120_000 };
const commitMs = 60_000;

/** For a command that reads or writes many rows, one transaction after another. */
export async function openPostgresTables(options: TablesOptions): Promise<StoreTables> {
  const address = parseAddress(options.address, options.environment ?? {});
  await prepareDatabase(address, { ...options, isReadOnly: options.mayCreate === false });
  const sql = createSql(address, { readerCount: 1, timeouts, commitMs });
  const reader = createReader(sql);
  return {
    scan: (statement, values) => reader.scan(statement, values),
    write: (work) => sql.write(async (query) => work(createTx(query))),
    async lastId(table) {
      const [row] = await sql.search<{ id: string }>(
        `SELECT coalesce(pg_catalog.pg_sequence_last_value('${sequences[table]}'), 0) AS id`,
      );
      return BigInt(row?.id ?? 0);
    },
    async raiseLastId(table, id) {
      const sequence = sequences[table];
      const raise = `SELECT pg_catalog.setval('${sequence}', $1::bigint)
        WHERE $1::bigint > coalesce(pg_catalog.pg_sequence_last_value('${sequence}'), 0)`;
      await sql.write((query) => query(raise, [String(id)]));
    },
    close: () => sql.close(),
  };
}
