import type { HttpRequest, Spelling } from './requests.ts';

export interface Workload {
  id: string;
  title: string;
  /** In the order in which they are sent, from the first again after the last. */
  requests(spelling: Spelling, pets: number): HttpRequest[];
  /** Adds pets, so that no two rounds may share the data. */
  isWriting?: boolean;
  /** Sends `If-None-Match` with the ETag of the first request's answer. */
  isConditional?: boolean;
  /** The disk takes 5 ms longer to sync. */
  isOnSlowDisk?: boolean;
  /** Creates that run beside, so many a second. */
  backgroundCreatesPerSecond?: number;
}

/** Many more than any cache here holds, so that a page is nearly always a new one. */
const randomRequestCount = 50_000;

export const workloads: readonly Workload[] = [
  {
    id: 'list',
    title: 'List, first page',
    requests: ({ list }) => [list({})],
  },
  {
    id: 'list-status',
    title: 'List by status',
    requests: ({ list }) => [list({ status: 'pending' })],
  },
  {
    id: 'list-deep',
    title: 'One deep page by cursor',
    requests: ({ list }, pets) => [list({ after: Math.floor(pets * 0.9) })],
  },
  {
    id: 'list-random',
    title: 'Random pages of 10 to 30',
    requests: ({ list }, pets) => {
      const random = createRandom();
      const drawn = Array.from({ length: randomRequestCount }, () =>
        list({ limit: 10 + random(21), after: random(pets - 30) }),
      );
      // A thousand pets have so few pages that many are drawn twice, and a cache would help.
      return [...new Map(drawn.map((request) => [request.path, request])).values()];
    },
  },
  {
    id: 'get',
    title: 'Get by id, random',
    requests: ({ get }, pets) => {
      const random = createRandom();
      return Array.from({ length: randomRequestCount }, () => get(1 + random(pets)));
    },
  },
  {
    id: 'create',
    title: 'Create, durable',
    isWriting: true,
    requests: ({ create }) => Array.from({ length: 1000 }, (_, index) => create(index)),
  },
  {
    id: 'mix',
    title: '90 % list, 10 % create',
    isWriting: true,
    requests: ({ list, create }) =>
      Array.from({ length: 1000 }, (_, index) => (index % 10 === 9 ? create(index) : list({}))),
  },
  {
    id: 'not-modified',
    title: '304 on an unchanged list',
    requests: ({ list }) => [list({})],
    isConditional: true,
  },
  {
    id: 'slow-disk-quiet',
    title: 'List, 5 ms disk, no creates',
    requests: ({ list }) => [list({})],
    isOnSlowDisk: true,
  },
  {
    id: 'slow-disk-busy',
    title: 'List, 5 ms disk, 100 creates/s beside',
    requests: ({ list }) => [list({})],
    isWriting: true,
    isOnSlowDisk: true,
    backgroundCreatesPerSecond: 100,
  },
  {
    id: 'processes',
    title: 'Random pages of 100, by processes',
    requests: ({ list }, pets) => {
      const random = createRandom();
      return Array.from({ length: randomRequestCount }, () =>
        list({ limit: 100, after: random(pets - 100) }),
      );
    },
  },
];

export function workloadOf(id: string): Workload {
  const workload = workloads.find((candidate) => candidate.id === id);
  if (!workload) throw new Error(`There is no workload ${id}.`);
  return workload;
}

/** The same numbers in every run: whole, from 0 to below `end` (mulberry32). */
function createRandom(): (end: number) => number {
  let state = 20_301_205;
  return (end) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * Math.max(1, end));
  };
}
