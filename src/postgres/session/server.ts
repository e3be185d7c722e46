import { OperatorError } from '../../domain/error.ts';
import type { PostgresAddress } from '../address.ts';
import type { Connection } from './connection.ts';

/** Which server it is, whatever the way to it: two servers never agree in all three. */
export interface Server {
  /** What `initdb` has drawn; a standby shares it with its primary. */
  system: string;
  /** Grows with every promotion; 0 on a standby. */
  timeline: number;
  /** Tells two servers apart that were promoted, or copied, from the same one. */
  startedAt: string;
}

/** What a session says of itself and of its server when it is opened. */
export interface Introduction {
  server: Server;
  isStandby: boolean;
  isReadOnly: boolean;
  /** The process that serves the session, where it is the session's own. */
  backend: { pid: number; startedAt: string } | undefined;
}

type IntroductionRow = Server &
  Omit<Introduction, 'server' | 'backend'> & { pid: number; backendStartedAt: string; heard: string };

/** A role may be spared warnings, and a commit may be warned about: a session of our own asks for them. */
const askForWarnings = "set_config('client_min_messages', 'warning', false)";
const silentLevels = ['error', 'fatal', 'panic'];

/** The timeline comes from the name of the log file in use: that of the last checkpoint is old after a promotion. */
function introductionSql(ownsSession: boolean): string {
  return `
    SELECT pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') = 'on' AS "isReadOnly",
      (SELECT system_identifier::text FROM pg_control_system()) AS system,
      CASE WHEN pg_is_in_recovery() THEN 0
        ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer END AS timeline,
      extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt",
      pg_backend_pid() AS pid,
      (SELECT backend_start::text FROM pg_stat_get_activity(pg_backend_pid())) AS "backendStartedAt",
      ${ownsSession ? askForWarnings : "current_setting('client_min_messages')"} AS heard`;
}

/** Learns who the server is, and makes sure that its warnings arrive. */
export async function introduce(
  session: Pick<Connection, 'query'>,
  address: PostgresAddress,
): Promise<Introduction> {
  const { ownsSession } = address;
  const [row] = await session.query<IntroductionRow>(introductionSql(ownsSession));
  if (!row) throw new Error('The server does not introduce itself.');
  if (silentLevels.includes(row.heard)) {
    throw new OperatorError(
      'The role hears no warnings of the server, so a commit without its standby would pass for a safe one.',
      "Run ALTER ROLE petstore SET client_min_messages = 'warning', with the name of your role.",
    );
  }
  const { system, timeline, startedAt, isStandby, isReadOnly, pid, backendStartedAt } = row;
  const backend = ownsSession ? { pid, startedAt: backendStartedAt } : undefined;
  return { server: { system, timeline, startedAt }, isStandby, isReadOnly, backend };
}

export function isSameServer(one: Server, other: Server): boolean {
  return one.system === other.system && one.timeline === other.timeline && one.startedAt === other.startedAt;
}

/** A promotion has left the other one behind. */
export function isNewer(one: Server, other: Server): boolean {
  return one.system === other.system && one.timeline > other.timeline;
}

/** Why a server cannot be used, if so. A standby lags, and an older one lacks what a newer one has acknowledged. */
export function refusalOf(
  { server, isReadOnly, isStandby }: Introduction,
  address: PostgresAddress,
  notBefore = server,
): Error | undefined {
  if (isReadOnly && address.mustBeWritable) return new Error('The server is read-only.');
  if (isStandby) return new Error('The server is a standby.');
  if (!isNewer(notBefore, server)) return undefined;
  return new Error(
    `The server is of timeline ${server.timeline}, and timeline ${notBefore.timeline} was used before. ` +
      'If it was restored from a backup, restart the service.',
  );
}

/**
 * All hosts are asked at once, so that many silent ones take no longer than one. An old primary that was not told of its
 * successor accepts writes, too; the timeline tells them apart. The failure says why no host can be used.
 */
export function pickNewest<Found extends Introduction>(
  responses: PromiseSettledResult<Found>[],
  address: PostgresAddress,
  notBefore?: Server,
): { newest?: Found; failure?: unknown } {
  let newest: Found | undefined;
  let failure: unknown;
  for (const response of responses) {
    const refusal = response.status === 'fulfilled' && refusalOf(response.value, address, notBefore);
    if (response.status === 'rejected') failure ??= response.reason;
    else if (refusal) failure = refusal;
    else if (!newest || response.value.server.timeline > newest.server.timeline) newest = response.value;
  }
  return newest ? { newest } : { failure };
}
