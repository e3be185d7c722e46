import { join } from 'node:path';
import type { Cell, ContestantEntry } from '../report/results.ts';
import { spellings, type Spelling } from './spelling.ts';

export interface StartContext extends Cell {
  port: number;
  /** A file, a folder or an address, depending on `data`. */
  place: string;
  key: string;
  withEtag: boolean;
  /** The root of the service to start. */
  checkout: string;
}

export interface Contestant extends Omit<ContestantEntry, 'versions'> {
  /** The packages of bench/peers it runs on. */
  packages: string[];
  data: 'service' | 'sqlite' | 'postgres' | 'responses';
  spelling: Spelling;
  start(context: StartContext): { command: string[]; env?: Record<string, string> };
  /** The workloads that it cannot do, or that are left out to keep a run short. */
  without: string[];
}

export const peersFolder = join(import.meta.dir, '../peers');
const bun = process.execPath;
const slowDisk = ['slow-disk-quiet', 'slow-disk-busy'];
const sqliteSettings = 'WAL, synchronous=FULL';
const postgresSettings = 'fsync and synchronous_commit on';

/** Everything that is measured, in the order of the tables. */
export const contestants: readonly Contestant[] = [
  service('petstore', 'Petstore', 'this service, embedded SQLite', 'service'),
  limit('limit-bun', 'bare Bun.serve', 'the same bytes and headers from memory: the limit', {
    ...{ settings: 'no key check, no database', without: ['list-status', ...slowDisk] },
  }),
  limit('limit-least', 'least Bun.serve', 'reads address and headers, checks the key, adds a request id', {
    settings: 'one key, no database',
    without: ['list-status', 'list-random', 'get', 'create', 'mix', 'not-modified', ...slowDisk],
  }),
  peer('fastify', 'Fastify', 'Fastify with schemas + better-sqlite3, Node', {
    packages: 'fastify @fastify/bearer-auth @fastify/etag better-sqlite3',
  }),
  peer('express', 'Express', 'Express + better-sqlite3, Node', { packages: 'express better-sqlite3' }),
  peer('hono-node', 'Hono on Node', 'Hono with its validator + better-sqlite3, Node', {
    packages: 'hono @hono/node-server better-sqlite3',
  }),
  peer('elysia', 'Elysia', 'Elysia with schemas + bun:sqlite, Bun', {
    ...{ packages: 'elysia @elysiajs/bearer', runtime: bun, without: ['not-modified'] },
  }),
  service('petstore-postgres', 'Petstore on PostgreSQL', 'this service on PostgreSQL', 'postgres'),
  peer('fastify-pg', 'Fastify + pg', 'Fastify with schemas + pg with named statements, Node', {
    packages: 'fastify @fastify/bearer-auth @fastify/etag pg',
    ...{ data: 'postgres', file: join(peersFolder, 'fastify.mjs'), without: slowDisk },
  }),
  peer('elysia-postgres', 'Elysia + postgres.js', 'Elysia with schemas + postgres.js, Bun', {
    packages: 'elysia @elysiajs/bearer postgres',
    ...{ data: 'postgres', runtime: bun, file: join(peersFolder, 'elysia.mjs') },
    without: ['not-modified', ...slowDisk],
  }),
];

export function contestantOf(id: string): Contestant {
  return contestants.find((contestant) => contestant.id === id)!;
}

/** The service as users get it: every setting is the default but the store and the port. */
function service(id: string, name: string, what: string, data: 'service' | 'postgres'): Contestant {
  const settings = `${data === 'postgres' ? postgresSettings : sqliteSettings}; all defaults`;
  return {
    ...{ id, name, what, kind: 'service', settings, packages: [], data, spelling: spellings.own },
    start: ({ port, place, processes, checkout }) => ({
      command: [bun, join(checkout, 'src/cli/petstore.ts'), 'serve'],
      env: { PORT: String(port), DATABASE_URL: place, ...(processes > 1 && { WORKERS: String(processes) }) },
    }),
    without: data === 'postgres' ? slowDisk : [],
  };
}

type LimitParts = Pick<Contestant, 'settings' | 'without'>;

function limit(id: string, name: string, what: string, parts: LimitParts): Contestant {
  const command = [bun, join(import.meta.dir, `${id}.ts`)];
  return {
    ...{ id, name, what, kind: 'limit', packages: [], data: 'responses', spelling: spellings.own, ...parts },
    start: ({ port, place: RESPONSES, key: API_KEY }) => ({
      command,
      env: { PORT: String(port), RESPONSES, API_KEY },
    }),
  };
}

type PeerParts = Partial<Pick<Contestant, 'data' | 'without'>> & Partial<Record<'runtime' | 'file', string>>;

function peer(id: string, name: string, what: string, parts: PeerParts & { packages: string }): Contestant {
  const { data = 'sqlite', runtime = 'node', file = join(peersFolder, `${id}.mjs`), without = [] } = parts;
  return {
    ...{ id, name, what, kind: 'peer', packages: parts.packages.split(' '), data, without },
    spelling: spellings.peer,
    settings: data === 'sqlite' ? sqliteSettings : `${postgresSettings}; pool of 10`,
    start: ({ port, place: DATABASE_URL, key: API_KEY, withEtag }) => ({
      command: [runtime, file],
      env: { NODE_ENV: 'production', PORT: String(port), API_KEY, DATABASE_URL, WITH_ETAG: String(withEtag) },
    }),
  };
}
