import { Database } from 'bun:sqlite';
import { Client } from 'pg';
import { makePostgresPlace } from './postgres/place.ts';
import { makeSqlitePlace } from './store-place.ts';

/** An empty place for a store, and how another program makes every write to it fail. */
interface LockablePlace extends AsyncDisposable {
  databaseUrl: string;
  /** Returns what releases it. */
  lock(): Promise<() => Promise<void>>;
  /** What the store says of a write that waited too long. */
  reason: RegExp;
}

export const lockablePlaces = {
  async SQLite(): Promise<LockablePlace> {
    const place = await makeSqlitePlace();
    return {
      ...place,
      databaseUrl: place.path,
      reason: /^database is locked$/,
      async lock() {
        const holder = new Database(place.path);
        holder.run('BEGIN IMMEDIATE');
        return async () => holder.close();
      },
    };
  },
  async PostgreSQL(): Promise<LockablePlace> {
    const place = await makePostgresPlace();
    return {
      ...place,
      databaseUrl: place.address,
      // A create that came later may have waited for the one before it.
      reason: /^canceling statement due to lock timeout$|^Waited more than 2500 ms\.$/,
      async lock() {
        const holder = new Client(place.address);
        await holder.connect();
        await holder.query('BEGIN; LOCK TABLE pets IN EXCLUSIVE MODE');
        return () => holder.end();
      },
    };
  },
};
