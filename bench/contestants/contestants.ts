import { join } from 'node:path';
import type { Cell, ContestantEntry } from '../report/results.ts';
import { spellings, type Spelling } from './spelling.ts';

export interface StartContext extends Cell {
  port: number;
  /** A file, a folder or an address, depending on `data`. */
  place: string;
  key: string;
  /** The root of the service to start. */
  checkout: string;
}

export interface Contestant extends ContestantEntry {
  data: 'service' | 'sqlite' | 'postgres' | 'peer-postgres' | 'responses';
  spelling: Spelling;
  start(context: StartContext): { command: string[]; env?: Record<string, string> };
  /** The workloads that it cannot do, or that are left out to keep a run short. */
  without: string[];
}

export function isOnPostgres({ data }: Pick<Contestant, 'data'>): boolean {
  return data === 'postgres' || data === 'peer-postgres';
}

export const peersFolder = join(import.meta.dir, '../peers');
const bun = process.execPath;
const slowDisk = ['slow-disk-quiet', 'slow-disk-busy'];

const twoServices: Contestant = {
  ...{ id: 'petstore-two', name: 'Two Petstores on PostgreSQL behind HAProxy', kind: 'service' },
  ...{ data: 'postgres', spelling: spellings.own, without: [...slowDisk, 'list-status', 'mix'] },
  start: ({ port, place, checkout }) => ({
    command: [bun, join(import.meta.dir, 'two-services.ts')],
    env: { PORT: String(port), DATABASE_URL: place, CHECKOUT: checkout },
  }),
};

/** Everything that is measured, in the order of the tables. */
export const contestants: readonly Contestant[] = [
  service('petstore', 'Petstore', 'service'),
  // The same bytes and headers from memory: the limit.
  limit('limit-bun', 'bare Bun.serve', ['list-status', ...slowDisk]),
  // Reads the address and three headers, checks the key and adds a request id.
  limit('limit-least', 'least Bun.serve', [
    ...['list-status', 'list-random', 'get', 'create', 'mix'],
    ...slowDisk,
  ]),
  peer('fastify', 'Fastify'),
  peer('express', 'Express'),
  peer('hono-node', 'Hono on Node'),
  peer('elysia', 'Elysia', { runtime: bun }),
  service('petstore-postgres', 'Petstore on PostgreSQL', 'postgres'),
  twoServices,
  peer('fastify-pg', 'Fastify + pg', { data: 'peer-postgres', file: 'fastify.mjs', without: slowDisk }),
  peer('elysia-postgres', 'Elysia + postgres.js', {
    ...{ data: 'peer-postgres', runtime: bun, file: 'elysia.mjs', without: slowDisk },
  }),
];

const peers = contestants.filter(({ kind }) => kind === 'peer');
export const postgresPeers = peers.filter(isOnPostgres).map(({ id }) => id);
/** Those with a file. */
export const embeddedPeers = peers.filter((each) => !isOnPostgres(each)).map(({ id }) => id);

export function contestantOf(id: string): Contestant {
  return contestants.find((contestant) => contestant.id === id)!;
}

/** The service as users get it: every setting is the default but the store and the port. */
function service(id: string, name: string, data: 'service' | 'postgres'): Contestant {
  return {
    ...{ id, name, kind: 'service', data, spelling: spellings.own },
    start: ({ port, place, checkout }) => ({
      command: [bun, join(checkout, 'src/cli/petstore.ts'), 'serve'],
      env: { PORT: String(port), DATABASE_URL: place },
    }),
    without: data === 'postgres' ? slowDisk : [],
  };
}

function limit(id: string, name: string, without: string[]): Contestant {
  const command = [bun, join(import.meta.dir, `${id}.ts`)];
  return {
    ...{ id, name, kind: 'limit', data: 'responses', spelling: spellings.own, without },
    start: ({ port, place: RESPONSES, key: API_KEY }) => ({
      command,
      env: { PORT: String(port), RESPONSES, API_KEY },
    }),
  };
}

type PeerParts = Partial<Pick<Contestant, 'data' | 'without'>> & Partial<Record<'runtime' | 'file', string>>;

function peer(id: string, name: string, parts: PeerParts = {}): Contestant {
  const { data = 'sqlite', runtime = 'node', file = `${id}.mjs`, without = [] } = parts;
  return {
    ...{ id, name, kind: 'peer', data, without, spelling: spellings.peer },
    start: ({ port, place: DATABASE_URL, key: API_KEY }) => ({
      command: [runtime, join(peersFolder, file)],
      env: { NODE_ENV: 'production', PORT: String(port), API_KEY, DATABASE_URL },
    }),
  };
}
