import { breakFetch } from './layers.ts';

let isStopping = false;
process.on('SIGTERM', () => (isStopping = true));

/** The service refuses its callers, and not only /readyz, while it waits for the load balancer. */
breakFetch((request, fetch) => (isStopping ? new Response(null, { status: 503 }) : fetch(request)));
