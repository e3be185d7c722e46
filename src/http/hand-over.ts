import { UnreadBodyError } from './body.ts';

interface Waiting {
  request: Request;
  resolve: () => void;
  reject: (error: UnreadBodyError) => void;
}

/** Of this turn of the event loop: one callback serves all of them. */
let waiting: Waiting[] = [];

/**
 * Waits until a request may be handed over to the store. The runtime starts a handler while it still parses what has
 * arrived; when that goes wrong behind the body, it refuses the message and aborts the request, within the same turn of
 * the event loop. Whoever is told that must not find the change made.
 */
export function untilHandOver(request: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(endTurn);
    waiting.push({ request, resolve, reject });
  });
}

function endTurn(): void {
  const ended = waiting;
  waiting = [];
  for (const { request, resolve, reject } of ended) {
    if (request.signal.aborted) reject(callerGone());
    else resolve();
  }
}

/** Nobody reads this response. It is logged as a body that ended early. */
function callerGone(): UnreadBodyError {
  return new UnreadBodyError('invalid_json', 'The connection ended before the request was whole.');
}
