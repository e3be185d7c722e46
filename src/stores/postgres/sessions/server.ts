/** Identifies a server, whatever the route to it: two servers never agree in all three fields. */
export interface Server {
  /** The identifier from `initdb`; a standby shares it with its primary. */
  system: string;
  /** Grows with every promotion. */
  timeline: number;
  /** Distinguishes two servers that were promoted or copied from one origin. */
  startedAt: string;
}

/** What a new session asks first. `pid` is the process that serves it, until a pgbouncer gives it to others. */
export type Introduction = Server & { pid: number; isStandby: boolean };

/** Takes the timeline from the current log file's name: the last checkpoint's is outdated after a promotion. */
export const selectIntroduction = `
  SELECT pg_is_in_recovery() AS "isStandby",
    (SELECT system_identifier::text FROM pg_control_system()) AS system,
    CASE WHEN pg_is_in_recovery() THEN 0
      ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer END AS timeline,
    extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt",
    pg_backend_pid() AS pid`;

/** Whether `one` was promoted after `other`, which then lacks what `one` has acknowledged. */
export function isNewer(one: Server, other: Server): boolean {
  return one.system === other.system && one.timeline > other.timeline;
}
