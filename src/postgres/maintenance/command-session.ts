import type { MigrationOptions } from '../../system/migration.ts';
import { parseAddress, type Environment } from '../address.ts';
import { explain, isLost, translateError } from '../errors.ts';
import { prepareDatabase, refuseMissingSchema } from '../migrate.ts';
import { openSession, type Query, type Session } from '../sessions/session.ts';
import { retry, runTransaction } from '../sessions/transaction.ts';

export interface CommandOptions extends MigrationOptions {
  address: string;
  environment?: Environment;
  /** Creates a missing schema, which is otherwise an error. */
  mayCreate: boolean;
}

/** A session for a command that reads or writes many rows, one transaction after another. */
export interface CommandSession {
  /** Runs one transaction. It is repeated after a collision, so `work` may run several times. */
  run: <Result>(work: (query: Query) => Promise<Result>) => Promise<Result>;
  close: () => Promise<void>;
}

const timeouts = { lockMs: 10_000, statementMs: 60_000, silenceMs: 61_000 };
const transactionTimeouts = { statementsMs: 300_000, commitMs: timeouts.silenceMs };
const startWithinMs = 3000;

export async function openCommandSession(options: CommandOptions): Promise<CommandSession> {
  const address = parseAddress(options.address, options.environment ?? {});
  if (options.mayCreate) await prepareDatabase(address, startWithinMs, options);
  let opened: Session | undefined;
  try {
    const session = (opened = await openSession({ address, timeouts }));
    await refuseMissingSchema(session);
    const runOnce = <Result>(work: (query: Query) => Promise<Result>): Promise<Result> =>
      runTransaction(session, work, transactionTimeouts).catch((error: unknown) => {
        // A command has no other session to repeat it on.
        throw isLost(error) ? translateError(error) : error;
      });
    return {
      run: (work) => retry(() => runOnce(work)),
      close: () => session.close(),
    };
  } catch (error) {
    await opened?.close();
    throw explain(error);
  }
}
