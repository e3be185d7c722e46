import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCluster } from '../../test/support/postgres/cluster.ts';
import { coreLayout, makeFolder, pinRunning } from '../load/processes.ts';
import type { Workload } from '../load/workloads.ts';
import { spellings, type HttpRequest } from './spelling.ts';
import { send, startContestant, type Place, type Setting } from './start.ts';
import { copyToDisk, fillStore, makePeerStore, peerTables, makeServiceStore } from './templates.ts';

/** A response of the service, for the bare servers to repeat. */
export interface CapturedResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Past this many pets, workloads that only read share one store instead of copying gigabytes. */
const copiedForReaders = 1_000_000;
/** As long as a key of the service. */
const peerKey = 'pets_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789';
/** Every server adds these by itself. */
const addedByServers = ['date', 'content-length', 'connection', 'keep-alive'];

/** All data of a run: each kind is made once and copied for every start of a contestant. */
export function openData() {
  const folder = makeFolder();
  const kept = new Map<string, Promise<string>>();
  let cluster: ReturnType<typeof startCluster> | undefined;
  let copies = 0;

  const openPostgres = async (pets: number, variant: string, checkout?: string): Promise<Place> => {
    const server = await (cluster ??= startCluster());
    const [template, name] = [`pets_${pets}_${variant}`, `round_${++copies}`];
    const key = await kept.getOrInsertComputed(template, async () => {
      await server.run(`CREATE DATABASE ${template} TEMPLATE template0`);
      if (checkout === undefined) await server.run(peerTables(pets), template);
      const made =
        checkout === undefined ? peerKey : await fillStore(server.address(template), pets, checkout);
      await server.run('VACUUM ANALYZE pets', template);
      return made;
    });
    await server.run(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    await server.run('CHECKPOINT');
    const drop = async () => void (await server.run(`DROP DATABASE ${name} WITH (FORCE)`));
    const sessions = async (): Promise<number[]> => {
      const rows = await server.run(`SELECT pid FROM pg_stat_activity WHERE datname = '${name}'`);
      return rows.map(({ pid }) => Number(pid));
    };
    return { place: server.address(name), key, sessions, [Symbol.asyncDispose]: drop };
  };

  const open: Setting['open'] = async ({ data }, workload, pets, checkout) => {
    // Each checkout has its own schema, and the peers have theirs.
    if (data === 'postgres') return openPostgres(pets, Bun.hash(checkout).toString(36), checkout);
    if (data === 'peer-postgres') return openPostgres(pets, 'peers');
    const variant = data === 'responses' ? workload.id : Bun.hash(checkout).toString(36);
    const name = `${data}-${pets}-${variant}`;
    const template = join(folder.path, name);
    const key = await kept.getOrInsertComputed(name, async () => {
      if (data === 'service') return makeServiceStore(template, pets, checkout);
      if (data === 'sqlite') makePeerStore(template, pets);
      if (data === 'responses') await Bun.write(template, await captureResponses(open, workload, pets));
      return peerKey;
    });
    const isShared = !workload.isWriting && pets > copiedForReaders;
    if (isShared) return { place: template, key, async [Symbol.asyncDispose]() {} };
    const copy = join(folder.path, `copy-${++copies}`);
    const place = join(copy, name);
    await copyToDisk(template, place);
    return { place, key, [Symbol.asyncDispose]: () => rm(copy, { recursive: true, force: true }) };
  };

  return {
    open,
    /** The version of PostgreSQL, if it was used. */
    async postgresVersion(): Promise<string | undefined> {
      const [row] = (await (await cluster)?.run('SHOW server_version')) ?? [];
      return row && String(row['server_version']);
    },
    async [Symbol.asyncDispose]() {
      await (await cluster)?.[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function startCluster() {
  const server = await makeCluster({ shared_buffers: '128MB', max_wal_size: '1GB' });
  await server.start();
  const [pid] = (await Bun.file(`${server.dataFolder}/postmaster.pid`).text()).split('\n');
  pinRunning(Number(pid), coreLayout().load);
  return server;
}

/** What the service responds to the first request of each kind, so that the limit sends no byte less. */
async function captureResponses(open: Setting['open'], { id }: Workload, pets: number): Promise<string> {
  const cell = { workload: id, contestant: 'petstore', pets };
  await using server = await startContestant(cell, { open });
  const capture = async (request: HttpRequest): Promise<CapturedResponse> => {
    const response = await send(server, request);
    const headers = [...response.headers].filter(([name]) => !addedByServers.includes(name));
    return { status: response.status, headers: Object.fromEntries(headers), body: await response.text() };
  };
  const first = (method: string) => server.requests.find((request) => request.method === method);
  const GET = await capture(first('GET') ?? spellings.own.list({}));
  return JSON.stringify({ GET, POST: await capture(first('POST') ?? spellings.own.create(0)) });
}
