import type { Database } from 'bun:sqlite';
import { constants, getPriority, setPriority } from 'node:os';
import type { SearchRequest } from '../domain/store.ts';
import { describeFailure } from './errors.ts';
import { openReader } from './opening/connect.ts';
import type { StoreFile } from './opening/find.ts';
import { refuseMoved } from './opening/watch.ts';
import { findPets, type SearchOutcome } from './search.ts';

/** The thread that reads all pets where a search must, so that the serving thread never does. */

declare const self: Worker;

// Where cores are few, lists go first. Only Linux gives a thread a priority of its own.
if (process.platform === 'linux') {
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
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
    // After a move, the connection may be one to another file.
    database?.close();
    database = undefined;
    return { failure: describeFailure(error) };
  }
}
