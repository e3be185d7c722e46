import type { Database } from 'bun:sqlite';
import { eventRetentionMs, eventTable, importEvent, type NewEvent } from '../../domain/event.ts';
import type { ColumnValue } from '../../domain/table.ts';
import { insertSql } from './sql.ts';

/** Writes events within transactions of a writing connection. */
export interface EventWriter {
  write(event: NewEvent): void;
  /**
   * Deletes up to twice as many expired events as were written since the last call. Call it before COMMIT: the log then
   * shrinks as steadily as it grows, and no write waits long.
   */
  expire(): void;
}

/**
 * Deletes only the oldest events and never the newest one, so ids have no gaps and are not reused. One bound, not two:
 * SQLite would search by one of them and read every event for the other.
 */
const deleteExpired = `
  DELETE FROM events WHERE id < min((SELECT max(id) FROM events), coalesce(
    (SELECT id FROM (SELECT id, created_at FROM events ORDER BY id LIMIT ?1) WHERE created_at >= ?2 LIMIT 1),
    (SELECT min(id) + ?1 FROM events)))`;

export function createEventWriter(database: Database): EventWriter {
  // SQLite assigns the id under the write lock: one more than the largest.
  const insert = database.query<unknown, ColumnValue[]>(insertSql(eventTable));
  const remove = database.query<unknown, [number, number]>(deleteExpired);
  let writtenCount = 0;
  let lastWrittenAt = 0;
  return {
    write({ createdAt, createdBy = null, type, petId = null, json, previous = null }) {
      insert.run(null, createdAt, createdBy, type, petId, json, previous);
      writtenCount += 1;
      lastWrittenAt = createdAt;
    },
    expire() {
      if (writtenCount > 0) remove.run(2 * writtenCount, lastWrittenAt - eventRetentionMs);
      writtenCount = 0;
    },
  };
}

/** Starts a new log with one import event for all pets. Cursors of the previous log are refused. */
export function beginLog(database: Database, now: number): void {
  const { count } = database.query('SELECT count(*) AS count FROM pets').get() as { count: number };
  createEventWriter(database).write(importEvent(count, now));
  database.run('DELETE FROM events WHERE id < (SELECT max(id) FROM events)');
  database.run('UPDATE event_log SET epoch = lower(hex(randomblob(8)))');
}
