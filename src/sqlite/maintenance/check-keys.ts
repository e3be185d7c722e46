import type { Database } from 'bun:sqlite';
import { openDatabase } from '../opening/connect.ts';
import { damaged, explain } from '../errors.ts';

/** Reads every API key of a store that nobody writes to, and returns how many there are. */
export function checkKeys(path: string, origin: string): number {
  let database: Database | undefined;
  try {
    database = openDatabase(path, { readonly: true });
    const [table] = database.query("SELECT 1 FROM sqlite_schema WHERE name = 'api_keys'").all();
    if (!table) return 0;
    const keys = database
      .query<{ hash: unknown; name: unknown; createdAt: unknown }, []>(
        'SELECT hash, name, created_at AS createdAt FROM api_keys',
      )
      .all();
    const isSound = keys.every(
      ({ hash, name, createdAt }) =>
        typeof hash === 'string' &&
        /^[0-9a-f]{64}$/.test(hash) &&
        typeof name === 'string' &&
        Number.isSafeInteger(createdAt),
    );
    if (!isSound) throw damaged(origin);
    return keys.length;
  } catch (error) {
    throw explain(error, origin);
  } finally {
    database?.close();
  }
}
