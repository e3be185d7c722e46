import { UnreadBodyError } from './body.ts';

/**
 * Waits until a request may be handed over to the store. The runtime starts a handler while it still parses what has
 * arrived; when that goes wrong behind the body, it refuses the message and aborts the request, within the same turn of
 * the event loop. Whoever is told that must not find the change made.
 */
export async function untilHandOver(request: Request): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  if (request.signal.aborted) throw callerGone();
}

/** Nobody reads this response; the log tells it right, as for a body that ends early. */
function callerGone(): UnreadBodyError {
  return new UnreadBodyError('invalid_json', 'The connection ended before the request was whole.');
}
