import { breakServe } from './layers.ts';

/** A connection may be idle for ever. */
breakServe(() => ({ idleTimeout: 0 }));
