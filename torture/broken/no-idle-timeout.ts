import { breakServe } from './layers.ts';

/** A connection may be idle forever. */
breakServe(() => ({ idleTimeout: 0 }));
