import { UnreadBodyError } from './body.ts';

interface HeldRequest extends PromiseWithResolvers<void> {
  request: Request;
}

/** Those of this turn of the event loop. */
let held: HeldRequest[] = [];

/**
 * Waits until a request may be handed over to the store. The runtime calls a handler while it still parses what arrived.
 * If it finds a fault behind the body, it refuses the message and aborts the request within the same turn of the event
 * loop. A caller who is told so must not find the change made.
 */
export function untilHandOver(request: Request): Promise<void> {
  if (held.length === 0) setImmediate(endTurn);
  const entry = { request, ...Promise.withResolvers<void>() };
  held.push(entry);
  return entry.promise;
}

function endTurn(): void {
  const ended = held;
  held = [];
  for (const { request, resolve, reject } of ended) {
    if (!request.signal.aborted) resolve();
    // Nobody reads this response; it keeps the log right.
    else reject(new UnreadBodyError('invalid_json', 'The connection ended before the request was whole.'));
  }
}
