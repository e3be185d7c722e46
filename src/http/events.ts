import { PetstoreError } from '../domain/error.ts';
import { eventTypes } from '../domain/history.ts';
import {
  type EventPage,
  type EventPosition,
  type EventQuery,
  type EventStore,
  pageLimit,
} from '../stores/store.ts';
import { parseInt64 } from '../domain/int64.ts';
import type { Authenticate } from './authentication.ts';
import { etagOf } from '../domain/precondition.ts';
import { type Representation } from './response.ts';
import {
  addParameters,
  decodeCursor,
  encodeCursor,
  invalidParameter,
  type ListParameters,
  parametersOf,
  parseId,
  parseLimit,
  parseOneOf,
} from './parameters.ts';
import type { Call } from './route.ts';

/** Below every idle timeout along the way. */
const longestWaitSeconds = 5;
/** The most requests of this process that wait at once. */
const maxWaiting = 1024;
/** Most events do not concern a filtered wait, so it must not read the log after every commit. */
const filteredCheckMs = 500;

export function createEventOperations(events: EventStore, authenticate: Authenticate) {
  let waitingCount = 0;
  let isStopping = false;
  let pendingEnd: Promise<EventPosition> | undefined;

  /** The end of the log after a pause. All waiting requests share one read. */
  const readEnd = (): Promise<EventPosition> => {
    pendingEnd ??= Bun.sleep(events.checkEveryMs)
      .then(async () => (await events.listEvents({ after: 'now', limit: 1 })).next)
      .finally(() => {
        pendingEnd = undefined;
      });
    return pendingEnd;
  };

  /** Reads on from the end of the log until there is something to send or time is up. */
  const waitForEvents = async (call: Call, query: EventsQuery, first: EventPage): Promise<EventPage> => {
    if (waitingCount >= maxWaiting)
      throw new PetstoreError('overloaded', 'Too many readers wait for events. Try again shortly.');
    const startedAt = performance.now();
    const endsAt = startedAt + query.waitSeconds * 1000;
    const isOver = () => isStopping || call.request.signal.aborted || performance.now() >= endsAt;
    // A store that hangs must not make the wait longer.
    const deadline = Bun.sleep(endsAt - startedAt);
    const isFiltered = query.petId !== undefined || query.type !== undefined;
    let page = first;
    waitingCount += 1;
    try {
      while (page.isEnd && !isOver()) {
        if (isFiltered) await Promise.race([Bun.sleep(filteredCheckMs), deadline]);
        const end = await Promise.race([readEnd(), deadline]);
        if (end && (end.id > page.next.id || end.epoch !== page.next.epoch))
          page = await events.listEvents({ ...query, after: page.next });
      }
    } finally {
      waitingCount -= 1;
      call.waitedMs = performance.now() - startedAt;
    }
    // The key may have been revoked during the wait.
    await authenticate(call.request);
    return page;
  };

  return {
    listEvents: async (call: Call) => {
      const query = parseQuery(call.request.url);
      const page = await events.listEvents(query);
      const mayWait = query.waitSeconds > 0 && call.method === 'GET';
      return representationOf(query, mayWait && page.isEnd ? await waitForEvents(call, query, page) : page);
    },
    /** Sends an empty page to every waiting request, and keeps others from waiting. */
    stopWaiting: () => {
      isStopping = true;
    },
  };
}

interface EventsQuery extends EventQuery {
  waitSeconds: number;
  ownParameters?: string;
}

const parameters: ListParameters<EventsQuery> = {
  limit: (value) => ({ limit: parseLimit(value) }),
  petId: (value) => ({ petId: parseId(value, 'petId') }),
  type: (value) => ({ type: parseOneOf(eventTypes, value, 'type') }),
  wait: (value) => ({ waitSeconds: parseWait(value) }),
  after: (value) => ({ after: value === 'now' ? value : parsePosition(value) }),
};

function parseQuery(url: string): EventsQuery {
  const query: EventsQuery = { limit: pageLimit.default, waitSeconds: 0 };
  addParameters(query, parametersOf(url), parameters);
  return query;
}

function parseWait(value: string): number {
  if (/^\d$/.test(value) && Number(value) <= longestWaitSeconds) return Number(value);
  throw invalidParameter(`wait must be given once, as an integer from 0 to ${longestWaitSeconds}.`);
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
function representationOf({ ownParameters }: EventsQuery, { json, next }: EventPage): Representation {
  const cursor = encodeCursor(`${cursorVersion}.${next.epoch}.${next.id}`);
  const search = new URLSearchParams(ownParameters);
  search.set('after', cursor);
  // The cursor is part of the ETag, because empty pages differ only in their Link.
  return { body: json, etag: etagOf(json, `.${cursor}`), link: `<?${search.toString()}>; rel="next"` };
}
