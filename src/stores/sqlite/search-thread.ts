import type { Database } from 'bun:sqlite';
import { constants, getPriority, setPriority } from 'node:os';
import type { SearchRequest } from '../store.ts';
import { openReader } from './connect.ts';
import { describeFailure } from './errors.ts';
import type { StoreFile } from './file.ts';
import { findPets } from './pets.ts';
import type { SearchOutcome } from './search.ts';
import { refuseMoved } from './watch.ts';

/** Runs the searches that may read all pets, so that the serving thread never does. */

declare const self: Worker;

// Lists take precedence when there are few cores. Only Linux has priorities for single threads.
if (process.platform === 'linux') {
  try {
    setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  } catch {
    // The systemd unit forbids it.
  }
}

let store: StoreFile;
let database: Database | undefined;

self.onmessage = ({ data }: MessageEvent<StoreFile | SearchRequest | 'close'>) => {
  if (data === 'close') {
    database?.close();
    self.postMessage('closed');
  } else if ('limit' in data) {
    self.postMessage(search(data));
  } else {
    store = data;
  }
};

function search(request: SearchRequest): SearchOutcome {
  try {
    refuseMoved(store);
    database ??= openReader(store);
    return { page: findPets(database, request) };
  } catch (error) {
    // After a move, the connection may belong to another file.
    database?.close();
    database = undefined;
    return { failure: describeFailure(error) };
  }
}
