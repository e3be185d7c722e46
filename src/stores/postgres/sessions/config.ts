import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import findInPassFile from 'pgpass';
import type { PostgresAddress } from '../address.ts';

/** In milliseconds; 0 means no limit. */
export interface Timeouts {
  /** The server's own limits are shorter: what the server cancels is known to be undone. */
  lockMs: number;
  statementMs: number;
  /** A session is ended if a read, or a transaction before its COMMIT, takes this long. */
  silenceMs: number;
}

/** Short, because the service closes a silent connection after ten seconds: a request may also wait for its turn. */
export const servingTimeouts: Timeouts = { lockMs: 2000, statementMs: 3000, silenceMs: 4000 };

const keepAliveAfterMs = 5000;

/** The settings of every session. */
const sessionSettings = ({ lockMs, statementMs }: Timeouts): string[] => [
  `lock_timeout=${lockMs}`,
  `statement_timeout=${statementMs}`,
  // A transaction must not hold its locks for hours if its replica vanishes.
  'idle_in_transaction_session_timeout=10000',
  // A role may have warnings switched off, but a COMMIT can report a problem as a warning.
  'client_min_messages=warning',
];

/**
 * Statements that serve requests find their rows by an index, in its order, whatever the values are. So a session keeps
 * one plan for each; by default, PostgreSQL plans them for every call, which takes longer than running them.
 */
export const keepPlans = [
  'plan_cache_mode=force_generic_plan',
  // A kept plan may predate most pets, so exclude plans that pay off only in small tables.
  ...['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off'],
  // The server overestimates a page as a tenth of the table, and would compile every page of a large one.
  'jit=off',
];

export interface DriverOptions {
  address: PostgresAddress;
  timeouts?: Timeouts;
  /** Additional settings, such as {@link keepPlans}. */
  settings?: readonly string[];
}

export function driverConfig(options: DriverOptions): ClientConfig {
  const { address, timeouts = servingTimeouts, settings = [] } = options;
  const { host, port, user, database, password } = address;
  // pgbouncer refuses to start a session with settings that it does not know.
  const ours = address.isPgbouncer ? [] : [...sessionSettings(timeouts), ...settings];
  return {
    // Pass all of them: the driver takes missing ones from the environment.
    ...{ host, port, user, database },
    password: password ?? passwordFromFile,
    options: [address.options ?? '', ...ours.map((setting) => `-c ${setting}`)].join(' ').trim(),
    application_name: address.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    query_timeout: timeouts.silenceMs,
    pipeline: true,
  };
}

/** The modes as libpq defines them: only `verify-…`, or a given authority, proves the server's identity. */
export function sslConfig({ sslMode, sslFiles }: PostgresAddress): ConnectionOptions {
  const verifies = sslMode.startsWith('verify-') || (sslMode === 'require' && sslFiles.ca !== undefined);
  return {
    ...sslFiles,
    rejectUnauthorized: verifies,
    ...(sslMode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

function passwordFromFile(info?: unknown): Promise<string> {
  return new Promise((resolve) => {
    findInPassFile(info, (password) => resolve(password ?? ''));
  });
}
