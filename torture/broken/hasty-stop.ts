import { breakServe } from './layers.ts';

/** The service closes its connections at once when it is told to stop. */
breakServe(
  () => ({}),
  (server) => process.on('SIGTERM', () => void server.stop(true)),
);
