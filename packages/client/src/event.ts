import { toCategory, type Category } from './category.ts';
import { PetstoreClientError } from './error.ts';
import type { CallOptions } from './options.ts';
import { createList } from './pages.ts';
import { toPet, type Pet, type PetFields } from './pet.ts';
import { fieldsOf, isInteger } from './wire/json.ts';
import type { Send } from './wire/send.ts';
import { pause } from './wire/wait.ts';

/** What happened. A release of the service may add types. */
export type EventType = `pet.${'created' | 'updated' | 'deleted'}` | `category.${'updated' | 'deleted'}`;

/** One change. Events arrive in the order of the changes. */
export interface PetEvent {
  /** An exact 64-bit integer that only grows. */
  id: bigint;
  type: EventType;
  createdAt: Date;
  /** The name of the API key. */
  createdBy?: string;
  /** Present for events of one pet, like `pet`. */
  petId?: bigint;
  /** The pet after the change, or its last state if it was deleted. */
  pet?: Pet;
  /** For events of a category: the category after the change, or its last state if its name was removed. */
  category?: Category;
  /** For `pet.updated`, the old values of the fields that changed. */
  previous?: PetFields;
  /**
   * The cursor after this event, on the last event of a page from `events`. Store it once you have applied the event.
   */
  after?: string;
}

export interface EventPage {
  events: PetEvent[];
  /** The cursor after these events. Pass it on as `after`. */
  after: string;
}

/** The events to get. */
export interface EventsOptions extends CallOptions {
  /** The cursor to continue from, or `now` for only new events. Starts at the oldest event by default. */
  after?: string | undefined;
  /** Only events of this pet. */
  petId?: bigint | undefined;
  /** Only events of this type. */
  type?: EventType | undefined;
  /** Events per page, 1 to 100. */
  limit?: number | undefined;
  /** How many seconds the service waits for the next event, 0 to 5. `listEvents` needs a longer `timeoutMs`. */
  wait?: number | undefined;
}

export interface EventOperations {
  /**
   * Gets the next events. `limit` defaults to 20. Fails with `events_gone` if the log cannot continue from `after`.
   * @experimental
   */
  listEvents(options?: EventsOptions): Promise<EventPage>;

  /**
   * Yields every change in order, and waits for more: `for await (const event of client.events({ after }))`. Retries
   * temporary failures until your signal aborts, unless `retryForMs` is 0. Ends only with your signal or with another
   * error, such as `events_gone`.
   * @experimental
   */
  events(options?: EventsOptions): AsyncGenerator<PetEvent, never, undefined>;
}

const pauseMs = 1000;

export function createEventOperations(send: Send, versionUrl: string): EventOperations {
  const call = { operation: 'listEvents', url: `${versionUrl}/events` } as const;
  const getPage = async (sendCall: Send, options: EventsOptions): Promise<EventPage> => {
    const { events, next } = await createList(sendCall, call, 'events', toEvent).getPage(options);
    const after = new URLSearchParams(next).get('after');
    if (after !== null) return { events, after };
    const message = `A response of ${call.url} has no Link to the next page.`;
    throw new PetstoreClientError('unexpected_response', message);
  };

  return {
    listEvents: (options = {}) => getPage(send, options),
    async *events({ after, wait = 5, limit = 100, ...options } = {}) {
      const sendWaiting: Send = (page) => send({ ...page, waitMs: wait * 1000 });
      for (let position = after; ;) {
        const sentAt = performance.now();
        const page = await getPage(sendWaiting, { ...options, after: position, wait, limit });
        for (const [index, event] of page.events.entries()) {
          options.signal?.throwIfAborted();
          yield index === page.events.length - 1 ? { ...event, after: page.after } : event;
        }
        position = page.after;
        // The service is about to stop, or a filter left out every event.
        const isEarly = performance.now() - sentAt < Math.max(wait * 1000, pauseMs);
        if (isEarly && page.events.length === 0) await pause(pauseMs, options.signal);
      }
    },
  };
}

function toEvent(value: unknown): PetEvent | undefined {
  const { id, type, createdAt, createdBy, petId, pet, category, previous } = fieldsOf(value);
  if (!isInteger(id) || typeof type !== 'string' || typeof createdAt !== 'string') return undefined;
  const [wholePet, wholeCategory] = [toPet(pet), toCategory(category)];
  if (pet !== undefined && !wholePet) return undefined;
  if (category !== undefined && !wholeCategory) return undefined;
  return {
    id: BigInt(id),
    type: type as EventType,
    createdAt: new Date(createdAt),
    ...(typeof createdBy === 'string' && { createdBy }),
    ...(isInteger(petId) && { petId: BigInt(petId) }),
    ...(wholePet && { pet: wholePet }),
    ...(wholeCategory && { category: wholeCategory }),
    ...(typeof previous === 'object' && previous !== null && { previous: toFields(previous) }),
  };
}

function toFields(previous: unknown): PetFields {
  const fields = fieldsOf(previous);
  const { categoryId } = fields;
  return isInteger(categoryId) ? { ...fields, categoryId: BigInt(categoryId) } : fields;
}
