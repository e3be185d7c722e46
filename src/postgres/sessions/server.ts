import { OperatorError } from '../../domain/error.ts';
import type { Query } from './statement.ts';

/** Identifies a server, whatever the route to it: two servers never agree in all three fields. */
export interface Server {
  /** The identifier from `initdb`; a standby shares it with its primary. */
  system: string;
  /** Grows with every promotion. */
  timeline: number;
  /** Distinguishes two servers that were promoted or copied from one origin. */
  startedAt: string;
}

/** What a session reports about itself and its server when it opens. */
export interface Introduction {
  server: Server;
  /** The process that serves the session. Behind a pgbouncer, it may serve others later. */
  backend: { pid: number; startedAt: string };
}

type IntroductionRow = Server & {
  isStandby: boolean;
  pid: number;
  backendStartedAt: string;
  heard: string;
};

/** Takes the timeline from the current log file's name: the last checkpoint's is outdated after a promotion. */
const selectIntroduction = `
  SELECT pg_is_in_recovery() AS "isStandby",
    (SELECT system_identifier::text FROM pg_control_system()) AS system,
    CASE WHEN pg_is_in_recovery() THEN 0
      ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer END AS timeline,
    extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt",
    pg_backend_pid() AS pid,
    (SELECT backend_start::text FROM pg_stat_get_activity(pg_backend_pid())) AS "backendStartedAt",
    current_setting('client_min_messages') AS heard`;

/** Identifies the server. Fails on a standby, which lags behind, and if the session receives no warnings. */
export async function introduce(query: Query): Promise<Introduction> {
  const [row] = await query<IntroductionRow>(selectIntroduction);
  if (!row) throw new Error('The server does not introduce itself.');
  const { system, timeline, startedAt, isStandby, pid, backendStartedAt, heard } = row;
  if (isStandby) throw new Error('The server is a standby.');
  if (['error', 'fatal', 'panic'].includes(heard)) {
    throw new OperatorError(
      'The role receives no warnings from the server, so a commit without its standby would look safe.',
      "Run ALTER ROLE petstore SET client_min_messages = 'warning', with the name of your role.",
    );
  }
  return { server: { system, timeline, startedAt }, backend: { pid, startedAt: backendStartedAt } };
}

export function isSameServer(one: Server, other: Server): boolean {
  return one.system === other.system && one.timeline === other.timeline && one.startedAt === other.startedAt;
}

/** Whether `one` was promoted after `other`, which then lacks what `one` has acknowledged. */
export function isNewer(one: Server, other: Server): boolean {
  return one.system === other.system && one.timeline > other.timeline;
}
