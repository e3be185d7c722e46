import type { Database } from 'bun:sqlite';
import { eventRetentionMs, eventTable, importEvent, type NewEvent } from '../../domain/event.ts';
import { createInsert } from './sql.ts';

/** Writes events within transactions of a writing connection. */
export interface EventWriter {
  /** Collects an event for the next `flush`. */
  add(event: NewEvent): void;
  /**
   * Writes what was added, and deletes up to twice as many expired events. Call it before COMMIT: the log then shrinks
   * as steadily as it grows, and no write waits long.
   */
  flush(): void;
}

/**
 * Deletes the events before the first one that stays: a young one, the newest, or the one after ?1 others. So ids have
 * no gaps and are not reused, and one scan from the oldest event finds the bound.
 */
const deleteExpired = `
  DELETE FROM events WHERE id < (
    SELECT id FROM events
    WHERE created_at >= ?2 OR id >= (SELECT min(id) + ?1 FROM events) OR id = (SELECT max(id) FROM events)
    ORDER BY id LIMIT 1)`;

export function createEventWriter(database: Database): EventWriter {
  const insert = createInsert(database, eventTable);
  const remove = database.query<unknown, [number, number]>(deleteExpired);
  let added: NewEvent[] = [];
  return {
    add(event) {
      added.push(event);
    },
    flush() {
      const events = added;
      // First, so that a transaction that fails here leaves nothing for the next one.
      added = [];
      const last = events.at(-1);
      if (!last) return;
      // SQLite assigns the ids under the write lock, each one more than the largest.
      insert(events.map(eventTable.valuesOf));
      remove.run(2 * events.length, last.createdAt - eventRetentionMs);
    },
  };
}

/** Starts a new log with one import event for all pets. Cursors of the previous log are refused. */
export function beginLog(database: Database, now: number): void {
  const { count } = database.query('SELECT count(*) AS count FROM pets').get() as { count: number };
  const events = createEventWriter(database);
  events.add(importEvent(count, now));
  events.flush();
  database.run('DELETE FROM events WHERE id < (SELECT max(id) FROM events)');
  database.run('UPDATE event_log SET epoch = lower(hex(randomblob(8)))');
}
