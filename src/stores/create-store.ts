import { type Change, refusalError } from '../domain/change.ts';
import type { Registry } from '../metrics/registry.ts';
import type { Log } from '../system/log.ts';
import { createKeyStore } from './keys.ts';
import { createReads } from './reads.ts';
import type { Apply, Engine } from './statement.ts';
import type { Store } from './store.ts';

/** What to do about a missing store. */
export interface MakeOptions {
  /** True by default. Otherwise, a missing store is an error: a mistyped path must not create one. */
  mayCreate?: boolean;
  /** Called if there was no store and one was made. */
  onMade?: (() => void) | undefined;
}

/** How an engine opens a store to serve it. */
export interface StoreOptions extends MakeOptions {
  /** How many changes may wait; on PostgreSQL, of each kind. */
  maxQueuedWrites?: number;
  now?: () => number;
  log?: Log | undefined;
  /** Receives the store's metrics. */
  metrics?: Registry | undefined;
}

/** The store on an open engine. */
export function createStore(engine: Engine, { now = Date.now }: StoreOptions): Store {
  const apply = ((change: Change) => engine.apply({ ...change, at: now() })) as Apply;
  const { pets, orders, events } = createReads(engine);
  return {
    pets: {
      ...pets,
      version: () => engine.version(),
      areWritesFailing: () => engine.areWritesFailing(),
      async apply(change) {
        const outcome = await apply(change);
        if (typeof outcome === 'string') throw refusalError(outcome, change);
        return outcome;
      },
    },
    orders,
    events,
    keys: createKeyStore(engine, apply, now),
    close: () => engine.close(),
  };
}
