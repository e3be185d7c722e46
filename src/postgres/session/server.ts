import { OperatorError } from '../../domain/error.ts';
import type { PostgresAddress } from '../address.ts';
import type { Session } from './connection.ts';

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
  backend: Backend | undefined;
}

export interface Backend {
  pid: number;
  startedAt: string;
}

interface IntroductionRow {
  is_standby: boolean;
  is_read_only: boolean;
  system: string;
  timeline: string | null;
  started_at: string;
  pid: number;
  backend_started_at: string;
  heard: string;
}

/** A role may be spared warnings, and a commit may be warned about: a session of our own asks for them. */
const askForWarnings = "set_config('client_min_messages', 'warning', false)";
const silentLevels = ['error', 'fatal', 'panic'];

/** The timeline comes from the name of the log file in use: that of the last checkpoint is old after a promotion. */
function introductionSql(ownsSession: boolean): string {
  return `
    SELECT pg_is_in_recovery() AS is_standby, current_setting('transaction_read_only') = 'on' AS is_read_only,
      (SELECT system_identifier::text FROM pg_control_system()) AS system,
      CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline,
      extract(epoch FROM pg_postmaster_start_time())::text AS started_at,
      pg_backend_pid() AS pid,
      (SELECT backend_start::text FROM pg_stat_get_activity(pg_backend_pid())) AS backend_started_at,
      ${ownsSession ? askForWarnings : "current_setting('client_min_messages')"} AS heard`;
}

/** Learns who the server is, and makes sure that its warnings arrive. */
export async function introduce(session: Session, address: PostgresAddress): Promise<Introduction> {
  const { ownsSession } = address;
  const [row] = await session.query<IntroductionRow>(introductionSql(ownsSession));
  if (!row) throw new Error('The server does not introduce itself.');
  if (silentLevels.includes(row.heard)) {
    throw new OperatorError(
      'The role hears no warnings of the server, so a commit without its standby would pass for a safe one.',
      "Run ALTER ROLE petstore SET client_min_messages = 'warning', with the name of your role.",
    );
  }
  return {
    server: { system: row.system, timeline: timelineOf(row.timeline), startedAt: row.started_at },
    isStandby: row.is_standby,
    isReadOnly: row.is_read_only,
    backend: ownsSession ? { pid: row.pid, startedAt: row.backend_started_at } : undefined,
  };
}

export function isSameServer(one: Server | undefined, other: Server | undefined): boolean {
  return (
    one?.system === other?.system && one?.timeline === other?.timeline && one?.startedAt === other?.startedAt
  );
}

/** A promotion has left the other one behind. */
export function isNewer(one: Server | undefined, other: Server | undefined): boolean {
  return one !== undefined && one.system === other?.system && one.timeline > other.timeline;
}

/** Why a server cannot be used, if so. A standby lags: a read there may miss what was acknowledged. */
export function refusalOf(server: Introduction, address: PostgresAddress): Error | undefined {
  if (server.isReadOnly && address.mustBeWritable) return new Error('The server is read-only.');
  return server.isStandby ? new Error('The server is a standby.') : undefined;
}

function timelineOf(hexadecimal: string | null): number {
  return hexadecimal === null ? 0 : Number.parseInt(hexadecimal, 16);
}
