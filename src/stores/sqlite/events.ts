import { eventPageOf, eventTable, maxEventsRead, type LogRow } from '../../domain/event.ts';
import type { EventStore } from '../store.ts';
import type { ColumnValue } from '../../domain/table.ts';
import { selectColumns } from './schema/sql.ts';
import type { StoreParts } from './store-parts.ts';

/** Reads the bounds of the log together with the events, so that both come from one snapshot. */
const selectEvents = `
  SELECT epoch, found.*,
    (SELECT CAST(min(id) AS TEXT) FROM events) AS oldest, (SELECT CAST(max(id) AS TEXT) FROM events) AS newest
  FROM event_log LEFT JOIN (
    SELECT ${selectColumns(eventTable)}, events.id AS place FROM (
      SELECT coalesce(?1, (SELECT min(id) FROM events) - 1) AS start
    ) JOIN events ON events.id > start AND events.id <= start + ${maxEventsRead}
    WHERE (?2 IS NULL OR pet_id = ?2) AND (?3 IS NULL OR type = ?3) ORDER BY events.id LIMIT ?4
  ) AS found ON true ORDER BY place`;

export function createEventStore({ database, freshness }: StoreParts): EventStore {
  const select = database.query<LogRow, ColumnValue[]>(selectEvents);
  return {
    // Short, because reading the end of the log takes microseconds.
    checkEveryMs: 50,

    listEvents(request) {
      const { after, petId = null, type = null } = request;
      const start = after === undefined || after === 'now' ? null : after.id;
      const limit = after === 'now' ? 0 : request.limit;
      return freshness.read(() => eventPageOf(select.all(start, petId, type, limit), request));
    },
  };
}
