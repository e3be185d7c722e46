import { eventRetentionMs } from '../../domain/event.ts';
import { int64Range } from '../../domain/int64.ts';
import { type EventPage, type EventStore, maxEventsRead } from '../store.ts';
import { columnsOf, eventPageOf, eventTable, type LogRow } from '../tables.ts';
import { createSharedRead } from './reads.ts';
import type { Query } from './session.ts';
import type { Sql } from './sessions.ts';

/** The statement that scale.md tells operators to run. */
const newEpoch = "UPDATE event_log SET epoch = replace(gen_random_uuid()::text, '-', '')";

/** Starts a new log with only the newest event. Call it in the transaction that writes that event. */
export function forgetEarlierEvents(query: Query): void {
  void query('DELETE FROM events WHERE id < (SELECT max(id) FROM events)');
  void query(newEpoch);
}

/** Reads the bounds of the log together with the events, so that both come from one snapshot. */
const selectEvents = {
  name: 'select-events',
  text: `
    SELECT log.*, found.* FROM (
      SELECT epoch, (SELECT min(id) FROM events) AS oldest, (SELECT max(id) FROM events) AS newest FROM event_log
    ) AS log LEFT JOIN LATERAL (
      SELECT ${columnsOf(eventTable).join(', ')} FROM events
      WHERE id > coalesce($1::bigint, oldest - 1) AND id <= coalesce($1::bigint, oldest - 1) + ${maxEventsRead}
        AND ($2::bigint IS NULL OR pet_id = $2::bigint) AND ($3::text IS NULL OR type = $3)
      ORDER BY id LIMIT $4::integer
    ) AS found ON true ORDER BY found.id`,
};
/** Behind it, adding to a position would overflow. No log is that long. */
const farthest = int64Range.largest - BigInt(maxEventsRead);

export function createEventStore(sql: Sql): EventStore {
  const share = createSharedRead<EventPage>();
  return {
    checkEveryMs: 250,

    listEvents(request) {
      const { after, petId, type = null } = request;
      const start =
        after === undefined || after === 'now' ? null : String(after.id > farthest ? farthest : after.id);
      const limit = after === 'now' ? 0 : request.limit;
      const values = [start, petId?.toString() ?? null, type, limit];
      const epoch = typeof after === 'object' ? after.epoch : after;
      return share(JSON.stringify([epoch, ...values]), async () =>
        eventPageOf(await sql.read<LogRow>(selectEvents, values), request),
      );
    },
  };
}

/** Deletes only the oldest events and never the newest one, so ids have no gaps and are not reused. */
const deleteExpired = {
  name: 'delete-expired-events',
  text: `DELETE FROM events WHERE id < (SELECT max(id) FROM events) AND id < coalesce(
    (SELECT id FROM (SELECT id, created_at FROM events ORDER BY id LIMIT $1::integer) AS first
      WHERE created_at >= $2::bigint ORDER BY id LIMIT 1),
    (SELECT min(id) + $1::integer FROM events)) RETURNING 1`,
};
const deletedAtOnce = 1000;
const expireEveryMs = 60_000;

/**
 * Call it after each write: it deletes expired events once a minute. Not in the write itself, which would step over
 * everything deleted since the oldest open transaction of anybody.
 */
export function createExpiry(sql: Sql, now: () => number): () => void {
  let nextAt = now() + expireEveryMs;
  const expire = async (): Promise<void> => {
    const values = [deletedAtOnce, now() - eventRetentionMs];
    for (let count = deletedAtOnce; count === deletedAtOnce;)
      count = (await sql.write((query) => query(deleteExpired, values))).length;
  };
  return () => {
    if (now() < nextAt) return;
    nextAt = now() + expireEveryMs;
    // The next run deletes what a failure leaves behind.
    expire().catch(() => {});
  };
}
