import { PetstoreError } from '../domain/error.ts';
import { eventTypes, type EventPage, type EventPosition, type EventRequest } from '../domain/event.ts';
import { parseInt64 } from '../domain/int64.ts';
import type { EventStore } from '../domain/store.ts';
import type { Authenticate } from './callers/auth.ts';
import { cacheable } from './conditional.ts';
import { decodeCursor, encodeCursor, invalid, oneOf, parseId, parseLimit } from './lists/paging.ts';
import type { PlainResponse } from './response.ts';
import type { Call, Handler } from './route.ts';
import { createWaitingRoom } from './callers/waiting-room.ts';

/** Below every idle timeout along the way; the service itself closes an idle connection after ten seconds. */
const longestWaitSeconds = 5;

export interface EventOperations {
  listEvents: Handler;
  /** Sends an empty page to every waiting request, and lets no other wait. */
  stopWaiting: () => void;
}

export function createEventOperations(events: EventStore, authenticate: Authenticate): EventOperations {
  const room = createWaitingRoom(events);

  /** Reads on from the end of the last page until there is something to send or time is up. */
  const waitForEvents = async (call: Call, asked: AskedEvents, first: EventPage): Promise<EventPage> => {
    const endsAt = performance.now() + asked.waitSeconds * 1000;
    let page = first;
    // If a filter stopped the read before the newest event, return now: the caller follows the link.
    while (page.isEmpty && page.next.id === page.newest.id && performance.now() < endsAt) {
      const waitedFrom = performance.now();
      const isChanged = await room.wait(page.newest, endsAt - waitedFrom, call.request.signal);
      // The time spent waiting does not count as the request's duration.
      call.startedAt += performance.now() - waitedFrom;
      if (!isChanged) break;
      page = await events.listEvents({ ...asked, after: page.next });
    }
    // The key may have been revoked during the wait.
    await authenticate(call.request);
    return page;
  };

  return {
    async listEvents(call) {
      const asked = parseRequest(call.request.url);
      const page = await events.listEvents(asked);
      const mayWait = asked.waitSeconds > 0 && call.method === 'GET';
      return responseOf(asked, mayWait && page.isEmpty ? await waitForEvents(call, asked, page) : page);
    },
    stopWaiting: () => room.close(),
  };
}

interface AskedEvents extends EventRequest {
  waitSeconds: number;
  /** The parameters other than `after`, as a query string. */
  filter: string;
}

function parseRequest(url: string): AskedEvents {
  const queryStart = url.indexOf('?');
  const parameters = new URLSearchParams(queryStart === -1 ? '' : url.slice(queryStart));
  const filter = new URLSearchParams();
  const valueOf = (name: string): string | undefined => {
    const [value, second] = parameters.getAll(name);
    if (second !== undefined) throw invalid(`${name} must be given once.`);
    if (value !== undefined && name !== 'after') filter.set(name, value);
    return value;
  };
  const [limit, petId, type, wait] = [valueOf('limit'), valueOf('petId'), valueOf('type'), valueOf('wait')];
  const after = valueOf('after');
  return {
    limit: parseLimit(limit),
    ...(petId !== undefined && { petId: parseId(petId, 'petId') }),
    ...(type !== undefined && { type: oneOf(eventTypes, type, 'type') }),
    ...(after !== undefined && { after: after === 'now' ? after : parsePosition(after) }),
    waitSeconds: parseWait(wait),
    filter: filter.toString(),
  };
}

function parseWait(value = '0'): number {
  if (/^\d$/.test(value) && Number(value) <= longestWaitSeconds) return Number(value);
  throw invalid(`wait must be given once, as an integer from 0 to ${longestWaitSeconds}.`);
}

/** The prefix of every event cursor. */
const cursorVersion = 'e1';

function parsePosition(cursor: string): EventPosition {
  const [version, epoch, digits = '', more] = decodeCursor(cursor)?.split('.') ?? [];
  const id = parseInt64(digits);
  if (version === cursorVersion && epoch !== undefined && id !== undefined && more === undefined)
    return { epoch, id };
  throw new PetstoreError(
    'invalid_cursor',
    'The cursor is damaged. Follow the Link of a page as it was sent, or begin without a cursor.',
  );
}

/** Every page links to a next one, even the newest, so a reader only has to keep that link. */
function responseOf({ filter }: AskedEvents, { json, next }: EventPage): PlainResponse {
  const cursor = encodeCursor(`${cursorVersion}.${next.epoch}.${next.id}`);
  const link = `<?${filter === '' ? '' : `${filter}&`}after=${cursor}>; rel="next"`;
  // The cursor is part of the ETag, because empty pages differ only in their Link.
  return cacheable(json, { Link: link }, `.${cursor}`);
}
