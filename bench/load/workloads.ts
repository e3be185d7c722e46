import { randomFrom } from '../../test/support/random.ts';
import { type HttpRequest, listOrders, type Spelling } from '../contestants/spelling.ts';

export interface Workload {
  id: string;
  title: string;
  /** In the order in which they are sent, over and over. */
  requests(spelling: Spelling, pets: number): HttpRequest[];
  /** Adds pets, so it needs a fresh copy of the data. */
  isWriting?: boolean;
  /** The file is dropped from the machine's memory before each turn. All others read it once beforehand. */
  isCold?: boolean;
  /** Only contestants on PostgreSQL do it. */
  isOnPostgres?: boolean;
  /** Every sync takes 5 ms longer. */
  isOnSlowDisk?: boolean;
  /** Creates that run beside the requests. */
  createsPerSecond?: number;
}

type Requests = Workload['requests'];
const firstPage: Requests = ({ list }) => [list({})];
const byStatus: Requests = ({ list }) => [list({ status: 'pending' })];
const randomPages: Requests = ({ list }, pets) => pagesOf(pets, list);
const randomPagesByStatus: Requests = ({ list }, pets) =>
  pagesOf(pets, (page) => list({ ...page, status: 'pending' }));
/** Three of ten pets are created with an order. */
const randomOrders: Requests = (_, pets) => pagesOf(0.3 * pets, listOrders);
const randomPets: Requests = ({ get }, pets) => randomly((random) => get(1 + random(pets)));
/** Twice the same pets with other names: an update that changes nothing writes nothing. */
const updates: Requests = ({ update }, pets) => {
  const ids = randomly((random) => 1 + random(pets));
  return [...ids, ...ids].map((id, index) => update(id, `Pet ${index}`));
};
const creates: Requests = ({ create }) => thousand(create);
const mixed: Requests = ({ list, create }) =>
  thousand((index) => (index % 10 === 9 ? create(index) : list({})));
/**
 * HttpArena's `crud`: of 20 requests, 15 get a pet, 3 rename one, 1 reads one of ten pages and 1 creates a pet. Ids are
 * of the first half. The second pass gives the same pets other names, as above.
 */
const crud: Requests = ({ get, update, list, create }, pets) => {
  const pass = randomly((random) => ({ id: 1 + random(pets / 2), page: random(10) }));
  return [...pass, ...pass].map(({ id, page }, index) => {
    const step = index % 20;
    if (step < 15) return get(id);
    if (step < 18) return update(id, `Pet ${index}`);
    if (step === 19) return create(index);
    // Ten of 50 pets are pending.
    return list({ status: 'pending', limit: 10, ...(page > 0 && { after: 50 * page }) });
  });
};

export const workloads: readonly Workload[] = [
  { id: 'list', title: 'List, first page', requests: firstPage },
  { id: 'list-status', title: 'List by status', requests: byStatus },
  { id: 'list-random', title: 'Random pages of 10 to 30', requests: randomPages },
  { id: 'get', title: 'Get by id, random', requests: randomPets },
  {
    ...{ id: 'list-random-cold', title: 'Random pages of 10 to 30, from a cold file' },
    ...{ requests: randomPages, isCold: true },
  },
  { id: 'get-cold', title: 'Get by id, random, from a cold file', requests: randomPets, isCold: true },
  { id: 'create', title: 'Create, durable', requests: creates, isWriting: true },
  { id: 'mix', title: '90 % list, 10 % create', requests: mixed, isWriting: true },
  {
    ...{ id: 'crud', title: '75 % get, 15 % update, 5 % list, 5 % create (HttpArena’s crud)' },
    ...{ requests: crud, isWriting: true, isOnPostgres: true },
  },
  { id: 'slow-disk-quiet', title: 'List, 5 ms disk, no creates', requests: firstPage, isOnSlowDisk: true },
  {
    ...{ id: 'slow-disk-busy', title: 'List, 5 ms disk, 100 creates/s beside', requests: firstPage },
    ...{ isWriting: true, isOnSlowDisk: true, createsPerSecond: 100 },
  },
];

/** Of the service alone. */
export const ownWorkloads: readonly Workload[] = [
  { id: 'list-status-random', title: 'Random pages by status', requests: randomPagesByStatus },
  { id: 'orders', title: 'Random pages of orders', requests: randomOrders },
  { id: 'update', title: 'Update, durable', requests: updates, isWriting: true },
];

export function workloadOf(id: string): Workload {
  return [...workloads, ...ownWorkloads].find((workload) => workload.id === id)!;
}

function pagesOf(
  rows: number,
  list: (page: Record<'limit' | 'after', number>) => HttpRequest,
): HttpRequest[] {
  const drawn = randomly((random) => list({ limit: 10 + random(21), after: random(rows - 30) }));
  // A small store has few pages: many are drawn twice, and a cache would help.
  return [...new Map(drawn.map((request) => [request.path, request])).values()];
}

function thousand(make: (index: number) => HttpRequest): HttpRequest[] {
  return Array.from({ length: 1000 }, (_, index) => make(index));
}

/** The same draws in every run, many more than a cache holds. `random` gives a whole number below `end`. */
function randomly<Drawn>(make: (random: (end: number) => number) => Drawn): Drawn[] {
  const random = randomFrom(20_301_205);
  return Array.from({ length: 50_000 }, () => make((end) => Math.floor(random.next() * Math.max(1, end))));
}
