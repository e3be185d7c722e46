import { parseAddress } from '../../../src/postgres/address.ts';
import { openDatabase, type Database } from '../../../src/postgres/database.ts';
import { SessionGroup } from '../../../src/postgres/session/group.ts';

/** The connections of a store, without the store. */
export function openDatabaseAt(address: string): Database {
  const parsed = parseAddress(address, {});
  return openDatabase(parsed, new SessionGroup(parsed));
}
