import type { MigrationOptions } from '../../system/migration.ts';
import { parseAddress, type Environment } from '../address.ts';
import { explain } from '../errors.ts';
import { prepareDatabase, refuseMissingSchema } from '../migrate.ts';
import { openSession, type Session } from '../sessions/session.ts';

export interface CommandOptions extends MigrationOptions {
  address: string;
  environment?: Environment;
  /** A schema that is not there is made; otherwise that is an error. */
  mayCreate: boolean;
}

const timeouts = { lockMs: 10_000, statementMs: 60_000, silenceMs: 61_000 };
/** How long each half of a command's transaction may take. */
export const transactionTimeouts = { statementsMs: timeouts.silenceMs, commitMs: timeouts.silenceMs };
const startWithinMs = 3000;

/** Opens a session for a command that reads or writes many rows at once. */
export async function openCommandSession(options: CommandOptions): Promise<Session> {
  const address = parseAddress(options.address, options.environment ?? {});
  if (options.mayCreate) await prepareDatabase(address, startWithinMs, options);
  let session: Session | undefined;
  try {
    session = await openSession({ address, timeouts });
    await refuseMissingSchema(session);
    return session;
  } catch (error) {
    await session?.close();
    throw explain(error);
  }
}
