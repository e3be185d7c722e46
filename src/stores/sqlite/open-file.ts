import { partialForm, removeLeftovers } from '../../system/files.ts';
import type { MakeOptions } from '../schema.ts';
import { openInPlace, type OpenStore } from './connect.ts';
import { noStore, operatorError } from './errors.ts';
import { findOrMakeStore, findStore, refuseUnwritable } from './file.ts';
import { makeSchema } from './schema.ts';
import { withSideFiles } from './watch.ts';

/**
 * How a store is opened: `file.ts` finds the file behind the operator's name. `connect.ts` opens a connection and refuses
 * an unusable file. In WAL mode, the first read takes a lock that a restore waits for. An empty file gets its tables
 * here. From then on, `watch.ts` notices if the file, its log or its shared memory is moved or removed.
 */

/** Opens a store for reading and writing. Makes it if it is missing and may be made, and checks it. */
export function openForWriting(name: string, { mayCreate = true, onMade }: MakeOptions = {}): OpenStore {
  const file = mayCreate ? findOrMakeStore(name) : findStore(name);
  if (!file) throw noStore(name);
  refuseUnwritable(name);
  const { store, database } = openInPlace(file, true);
  try {
    if (makeSchema(database)) onMade?.();
    // What killed restores left behind. The store is open, which rules out a running one.
    removeLeftovers(store.path, partialForm);
    return { store: withSideFiles(store), database };
  } catch (error) {
    database.close();
    throw operatorError(error, name);
  }
}
