import { readFileSync } from 'node:fs';

/** The calls that tell in which order the store is written, synced and a response is sent. */
const calls = ['pwrite64', 'pwritev', 'fsync', 'fdatasync', 'write', 'writev', 'sendto', 'sendmsg'];

export interface StraceOptions {
  log: string;
  /** As strace wants it, such as `fsync:error=EIO:when=3`. */
  inject?: string;
}

/** Wraps a command so that strace follows all its threads. `-D`: the service, not strace, is the child to signal. */
export function underStrace({ log, inject }: StraceOptions): (command: string[]) => string[] {
  return (command) => [
    ...['strace', '-D', '-f', '-qq', '-y', '-s', '5000', '-o', log, '-e', 'signal=none'],
    ...['-e', `trace=${calls.join(',')}`],
    ...(inject === undefined ? [] : ['-e', `inject=${inject}`]),
    ...command,
  ];
}

/** The names of `startLoad`; in a response and in a page of the store they stand as they are. */
const petName = /creator-\d+-\d+/;

export interface SyncOrder {
  /** How many responses of 201 were seen. */
  responses: number;
  /** The pets of those that left before their pet was synced. */
  early: string[];
  failedCalls: number;
}

/**
 * A response is in order when a write of the store's log that holds its pet was followed by a sync that
 * succeeded, and had returned, before the response's own write began.
 */
export function readSyncOrder(log: string): SyncOrder {
  /** Names written since the last sync, then names known to be on disk. */
  let written = new Set<string>();
  const synced = new Set<string>();
  const unfinished = new Map<string, string>();
  const early: string[] = [];
  let responses = 0;
  let failedCalls = 0;
  const pattern = new RegExp(petName.source, 'g');

  for (const line of readFileSync(log, 'latin1').split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    if (/= -1 E(?:IO|NOSPC).*\(INJECTED\)/.test(rest.slice(-120))) failedCalls += 1;
    const resumed = /^<\.\.\. (\w+) resumed>/.exec(rest);
    const begun = resumed ? (unfinished.get(thread) ?? '') : rest;
    if (rest.endsWith('<unfinished ...>')) unfinished.set(thread, rest);
    const isStoreLog = begun.slice(0, 400).includes('-wal>');
    const hasSucceeded = /\) += \d+$/.test(rest);

    if (isStoreLog && /^pwritev?(?:64)?\(/.test(begun)) {
      if (!resumed) for (const [name] of rest.matchAll(pattern)) written.add(name);
    } else if (isStoreLog && /^f(?:data)?sync\(/.test(begun)) {
      if (rest.endsWith('<unfinished ...>')) continue;
      if (hasSucceeded) for (const name of written) synced.add(name);
      written = new Set();
    } else if (!resumed && rest.includes('"HTTP/1.1 201 ')) {
      // The name stands in the response twice: it is the request's id, too.
      const [name] = petName.exec(rest) ?? [];
      if (name === undefined) continue;
      responses += 1;
      if (!synced.has(name)) early.push(name);
    }
  }
  return { responses, early, failedCalls };
}
