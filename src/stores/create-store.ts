import { refusalError } from '../domain/change.ts';
import { createKeyStore } from './keys.ts';
import { createReads } from './reads.ts';
import type { Apply, Engine } from './statement.ts';
import type { Store } from './store.ts';

/** The store on an open engine. */
export function createStore(engine: Engine, now: () => number): Store {
  const apply = ((change) => engine.apply(change)) as Apply;
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
