import { parseAddress, type Environment } from '../address.ts';
import { prepareDatabase, type PrepareOptions } from '../migrate.ts';
import { createSql, type Sql } from '../sessions.ts';

export interface CommandOptions extends PrepareOptions {
  address: string;
  environment?: Environment;
}

const timeouts = { lockMs: 10_000, statementMs: 60_000, silenceMs: 120_000 };
const commitMs = 60_000;
const startWithinMs = 3000;

/** For a command that reads or writes many rows, one transaction after another. */
export async function openCommandSql(options: CommandOptions): Promise<Sql> {
  const address = parseAddress(options.address, options.environment ?? {});
  await prepareDatabase(address, startWithinMs, options);
  return createSql(address, { readerCount: 1, timeouts, commitMs });
}
