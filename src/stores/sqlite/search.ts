import type { Database } from 'bun:sqlite';
import { PetstoreError, storeClosing, unavailable } from '../../domain/error.ts';
import { type Page, pageOf, type SearchRequest, type Sort } from '../store.ts';
import type { ColumnValue } from '../tables.ts';
import { type Failure, failureOf } from './errors.ts';
import type { StoreFile, StoreWatch } from './file.ts';
import { type RenderedPet, storedPetColumns, verified } from './stored-pet.ts';

/** An SQL condition that applies if its value is defined. */
type Condition = readonly [sql: string, value: ColumnValue | undefined];

/** Reads one row more than a page holds, which shows whether another page follows. */
export function selectPage<Row>(
  database: Database,
  { name, columns }: { name: string; columns: string },
  conditions: readonly Condition[],
  { limit, sort, after }: { limit: number; sort?: Sort; after?: bigint },
): Row[] {
  const isNewest = sort === 'newest';
  const all: Condition[] = [...conditions, [isNewest ? 'id < ?' : 'id > ?', after]];
  const given = all.filter((condition): condition is [string, ColumnValue] => condition[1] !== undefined);
  const where = given.length > 0 ? `WHERE ${given.map(([text]) => text).join(' AND ')}` : '';
  // The plus matters: SQLite plans a query again for each value of a bare parameter in LIMIT.
  const select = `SELECT ${columns} FROM ${name} ${where} ORDER BY ${name}.id ${isNewest ? 'DESC' : ''} LIMIT +?`;
  return database.query<Row, ColumnValue[]>(select).all(...given.map(([, value]) => value), limit + 1);
}

/** Finds pets. A search by name or category may have to read all pets. */
export function findPets(database: Database, request: SearchRequest): Page {
  const { limit, words = [], id, categoryId, status, sort = 'newest' } = request;
  const conditions: Condition[] = [
    ['id = ?', id],
    ['status = ?', status],
    ['category_id = ?', categoryId],
    ...words.map((word) => ['instr(folded_name, ?) > 0', word] as const),
  ];
  const table = { name: 'pets', columns: storedPetColumns };
  return pageOf(selectPage<RenderedPet>(database, table, conditions, { ...request, sort }), limit, verified);
}

/** Runs searches that read many pets, one at a time, on a thread of their own. */
export interface Searcher {
  /**
   * Fails with `overloaded` if too many searches wait or this one waits too long. Does not start once `signal` is
   * aborted.
   */
  search(request: SearchRequest, signal?: AbortSignal): Promise<Page>;
  /** Waits for the running search, then ends the thread. */
  close(): Promise<void>;
}

export type SearchOutcome = { page: Page } | { failure: Failure };

/** A search among a million pets takes a fraction of a second; callers behind more than these would give up. */
const maxWaiting = 32;
const maxWaitMs = 3000;

interface Waiting extends PromiseWithResolvers<Page> {
  request: SearchRequest;
  timer?: Timer;
}

export function openSearcher(store: StoreFile, watch: Pick<StoreWatch, 'problem'>): Searcher {
  /** In the order of their arrival. */
  const waiting = new Set<Waiting>();
  let running: Waiting | undefined;
  let thread: Worker | undefined;
  let closing: PromiseWithResolvers<void> | undefined;

  const startThread = (): Worker => {
    // Keep the URL literal here: the one-file build searches for it.
    const worker = new Worker(new URL('./search-thread.ts', import.meta.url));
    worker.onmessage = ({ data }: MessageEvent<'closed' | SearchOutcome>) => {
      if (data === 'closed') return closing?.resolve();
      const problem = watch.problem();
      const error = problem ?? ('failure' in data ? failureOf(data.failure) : undefined);
      if (error) running?.reject(error);
      else if ('page' in data) running?.resolve(data.page);
      sendNext();
    };
    // It may fail to start, for example without a free descriptor. The next search starts another.
    worker.onerror = ({ message }) => {
      worker.terminate();
      thread = undefined;
      running?.reject(unavailable(new Error(`The search thread is gone: ${message}`)));
      sendNext();
    };
    worker.postMessage(store);
    return worker;
  };

  const sendNext = (): void => {
    [running] = waiting;
    if (running) {
      waiting.delete(running);
      clearTimeout(running.timer);
      (thread ??= startThread()).postMessage(running.request);
    } else if (thread && closing) thread.postMessage('close');
    else closing?.resolve();
  };

  return {
    async search(request, signal) {
      const problem = closing ? storeClosing() : watch.problem();
      if (problem) throw problem;
      if (waiting.size >= maxWaiting || signal?.aborted) throw tooManyWaiting();
      const next: Waiting = { request, ...Promise.withResolvers<Page>() };
      const leave = (): void => {
        if (waiting.delete(next)) next.reject(tooManyWaiting());
      };
      waiting.add(next);
      next.timer = setTimeout(leave, maxWaitMs).unref();
      signal?.addEventListener('abort', leave);
      if (!running) sendNext();
      return next.promise;
    },
    async close() {
      if (!closing) {
        closing = Promise.withResolvers();
        for (const { reject } of waiting) reject(storeClosing());
        waiting.clear();
        if (!running) sendNext();
      }
      await closing.promise;
      thread?.terminate();
    },
  };
}

function tooManyWaiting(): PetstoreError {
  return new PetstoreError('overloaded', 'Too many searches are waiting. Try again shortly.');
}
