import { cannotListen } from './addresses.ts';
import type { ServeOptions } from './options.ts';
import type { Tls } from './tls.ts';

interface ListenOptions {
  options: ServeOptions;
  tls: Tls | undefined;
  fetch: (request: Request) => Response | Promise<Response>;
  /** Whether other workers of this parent share the port. */
  isShared: boolean;
}

/** The open port. */
export type Listener = Bun.Server<undefined>;

/** A connection that is idle for this long is closed. */
const idleTimeoutSeconds = 10;

export function openListener({ options, tls, fetch, isShared }: ListenOptions): Listener {
  try {
    return Bun.serve({
      hostname: options.host,
      port: options.port,
      reusePort: isShared,
      fetch,
      idleTimeout: idleTimeoutSeconds,
      // The API checks the size itself, after the key and with its own error body.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      ...(tls && { tls: { cert: tls.cert, key: tls.key } }),
    });
  } catch (error) {
    throw cannotListen(error, options);
  }
}

/** Stops accepting and closes idle connections; resolves once every response is sent completely. */
export async function stopListening(listener: Listener): Promise<void> {
  // A closing port resets connections that wait to be accepted; a few turns of the event loop accept them first.
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  await listener.stop();
}
