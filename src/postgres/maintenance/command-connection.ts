import type { MigrationOptions } from '../../domain/migration.ts';
import { parseAddress, type Environment } from '../address.ts';
import { explain } from '../errors.ts';
import { prepareDatabase, refuseMissingSchema } from '../migrate.ts';
import { openConnection, type Connection } from '../session/connection.ts';

export interface CommandOptions extends MigrationOptions {
  address: string;
  environment?: Environment;
  /** A schema that is not there is made; otherwise that is an error. */
  mayCreate: boolean;
}

const timeouts = { lockMs: 10_000, statementMs: 60_000 };
const startWithinMs = 3000;

/** Opens a session for a command that reads or writes many rows at once. */
export async function openCommandConnection(options: CommandOptions): Promise<Connection> {
  const address = parseAddress(options.address, options.environment ?? {});
  if (options.mayCreate) await prepareDatabase(address, startWithinMs, options);
  let connection: Connection | undefined;
  try {
    connection = await openConnection({ address, timeouts, refuseWarnings: true });
    await refuseMissingSchema(connection);
    return connection;
  } catch (error) {
    await connection?.close();
    throw explain(error);
  }
}
