import type { Database } from 'bun:sqlite';
import { constants, getPriority, setPriority } from 'node:os';
import type { Value } from '../statement.ts';
import { connectReadOnly } from './connect.ts';
import { describeFailure } from './errors.ts';
import type { StoreFile } from './file.ts';
import type { Search, SearchReply } from './search.ts';

/** Runs the searches that may read all pets, so that the serving thread never does. */

declare const self: Worker;

// Lists take precedence when there are few cores. Only Linux has priorities for single threads.
if (process.platform === 'linux') {
  try {
    setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  } catch {
    // The systemd unit does not allow it.
  }
}

let store: StoreFile;
let database: Database | undefined;

self.onmessage = ({ data }: MessageEvent<StoreFile | Search | 'close'>) => {
  if (data === 'close') {
    database?.close();
    self.postMessage({ rows: [] } satisfies SearchReply);
  } else if ('sql' in data) {
    self.postMessage(search(data));
  } else {
    store = data;
  }
};

function search({ sql, values }: Search): SearchReply {
  try {
    database ??= connectReadOnly(store);
    return { rows: database.query<unknown, Value[]>(sql).all(...values) };
  } catch (error) {
    return { failure: describeFailure(error) };
  }
}
