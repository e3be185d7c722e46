import { OperatorError } from '../../domain/error.ts';
import type { Query } from './statement.ts';

/** Which server it is, whatever the way to it: two servers never agree in all three. */
export interface Server {
  /** What `initdb` has drawn; a standby shares it with its primary. */
  system: string;
  /** Grows with every promotion. */
  timeline: number;
  /** Tells two servers apart that were promoted, or copied, from the same one. */
  startedAt: string;
}

/** What a session says of itself and of its server when it is opened. */
export interface Introduction {
  server: Server;
  /** The process that serves the session. Behind a pgbouncer it may serve others later. */
  backend: { pid: number; startedAt: string };
}

type IntroductionRow = Server & {
  isStandby: boolean;
  pid: number;
  backendStartedAt: string;
  heard: string;
};

/** The timeline comes from the name of the log file in use: that of the last checkpoint is old after a promotion. */
const selectIntroduction = `
  SELECT pg_is_in_recovery() AS "isStandby",
    (SELECT system_identifier::text FROM pg_control_system()) AS system,
    CASE WHEN pg_is_in_recovery() THEN 0
      ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer END AS timeline,
    extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt",
    pg_backend_pid() AS pid,
    (SELECT backend_start::text FROM pg_stat_get_activity(pg_backend_pid())) AS "backendStartedAt",
    current_setting('client_min_messages') AS heard`;

/** Learns who the server is. Fails for a standby, which lags, and where warnings do not arrive. */
export async function introduce(query: Query): Promise<Introduction> {
  const [row] = await query<IntroductionRow>(selectIntroduction);
  if (!row) throw new Error('The server does not introduce itself.');
  const { system, timeline, startedAt, isStandby, pid, backendStartedAt, heard } = row;
  if (isStandby) throw new Error('The server is a standby.');
  if (['error', 'fatal', 'panic'].includes(heard)) {
    throw new OperatorError(
      'The role hears no warnings of the server, so a commit without its standby would pass for a safe one.',
      "Run ALTER ROLE petstore SET client_min_messages = 'warning', with the name of your role.",
    );
  }
  return { server: { system, timeline, startedAt }, backend: { pid, startedAt: backendStartedAt } };
}

export function isSameServer(one: Server, other: Server): boolean {
  return one.system === other.system && one.timeline === other.timeline && one.startedAt === other.startedAt;
}

/** Whether a promotion has left the other one behind: it lacks what this one has acknowledged. */
export function isNewer(one: Server, other: Server): boolean {
  return one.system === other.system && one.timeline > other.timeline;
}
