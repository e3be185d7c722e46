import type { Database } from 'bun:sqlite';
import { eventRetentionMs, eventTable, importEvent, type NewEvent } from '../../../domain/event.ts';
import { createInsert } from './sql.ts';

/**
 * Deletes the events before the first one that stays: a young one, the newest, or the one after ?1 others. So ids have
 * no gaps and are not reused, and one scan from the oldest event finds the bound.
 */
const deleteExpired = `
  DELETE FROM events WHERE id < (
    SELECT id FROM events
    WHERE created_at >= ?2 OR id >= (SELECT min(id) + ?1 FROM events) OR id = (SELECT max(id) FROM events)
    ORDER BY id LIMIT 1)`;

/**
 * Writes events within a transaction, and deletes up to twice as many expired ones: the log then shrinks as steadily as
 * it grows, and no write waits long.
 */
export function createEventWriter(database: Database): (events: readonly NewEvent[]) => void {
  const insert = createInsert(database, eventTable);
  const remove = database.query<unknown, [number, number]>(deleteExpired);
  return (events) => {
    const last = events.at(-1);
    if (!last) return;
    // SQLite assigns the ids under the write lock, each one more than the largest.
    insert(events.map(eventTable.valuesOf));
    remove.run(2 * events.length, last.createdAt - eventRetentionMs);
  };
}

/** Starts a new log with one import event for all pets. Cursors of the previous log are refused. */
export function beginLog(database: Database, now: number): void {
  const { count } = database.query('SELECT count(*) AS count FROM pets').get() as { count: number };
  createEventWriter(database)([importEvent(count, now)]);
  database.run('DELETE FROM events WHERE id < (SELECT max(id) FROM events)');
  database.run('UPDATE event_log SET epoch = lower(hex(randomblob(8)))');
}
