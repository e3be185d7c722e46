import { join } from 'node:path';
import { captureAnswer, type CapturedAnswers } from './capture.ts';
import type { Contestant } from './contestant.ts';
import { coreLayout } from './cores.ts';
import { cacheFolder, copyForRound, jsonTemplate, peerTemplate, serviceTemplate } from './data.ts';
import { pocketBaseTemplate } from './pocketbase.ts';
import { openPostgresData, type PostgresData } from './postgres-data.ts';
import { writeRequests } from './load.ts';
import { ownSpelling, type HttpRequest } from './requests.ts';
import { startServer } from './server.ts';
import { makeTemporaryFolder } from './temporary.ts';
import type { Workload } from './workloads.ts';

/** The data of one round: a fresh copy, unless it is large and only read. */
export interface Place extends AsyncDisposable {
  place: string;
}

type SqliteKind = 'service' | 'sqlite';
const templates = { service: serviceTemplate, sqlite: peerTemplate };

/** Past this many pets, workloads that only read share one copy: half a gigabyte a round would tire the disk. */
const copiedForReaders = 1_000_000;

/** What a workload asks of a contestant, written once for all rounds. */
export interface RequestFiles {
  file: string;
  first: HttpRequest;
  /** One create, for those that run beside. */
  createFile: string;
}

export interface Places extends AsyncDisposable {
  open(contestant: Contestant, workload: Workload, pets: number): Promise<Place>;
  requests(contestant: Contestant, workload: Workload, pets: number): Promise<RequestFiles>;
  /** The version of PostgreSQL, if it was used. */
  postgresVersion(): Promise<string | undefined>;
}

export function openPlaces(dataFolder = cacheFolder): Places {
  const postgres = new Map<'server', Promise<PostgresData>>();
  const answers = new Map<string, Promise<CapturedAnswers>>();
  const requestFiles = new Map<string, Promise<RequestFiles>>();
  const shared = new Map<string, Promise<Place>>();
  const folder = makeTemporaryFolder('requests');

  const copySqlite = async (kind: SqliteKind, pets: number): Promise<Place> => {
    const template = await templates[kind](pets, dataFolder);
    return inFolder(async (own) => {
      const place = join(own, 'petstore.db');
      await copyForRound(template, place);
      return place;
    });
  };
  const openSqlite = async (kind: SqliteKind, pets: number, workload: Workload): Promise<Place> => {
    if (workload.isWriting || pets <= copiedForReaders) return copySqlite(kind, pets);
    const { place } = await once(shared, `${kind} ${pets}`, () => copySqlite(kind, pets));
    return { place, [Symbol.asyncDispose]: async () => {} };
  };
  const files = async ({ spelling }: Contestant, workload: Workload, pets: number, name: string) => {
    const requests = workload.requests(spelling, pets);
    const file = join(folder.path, `${name}.tsv`);
    const createFile = join(folder.path, `${name}-create.tsv`);
    await writeRequests(file, requests);
    await writeRequests(createFile, [spelling.create(0)]);
    return { file, first: requests[0]!, createFile };
  };

  return {
    async open({ data }, workload, pets) {
      switch (data) {
        case 'service':
        case 'sqlite':
          return openSqlite(data, pets, workload);
        case 'json': {
          const template = await jsonTemplate(pets, dataFolder);
          return inFolder(async (own) => {
            const place = join(own, 'pets.json');
            await copyForRound(template, place);
            return place;
          });
        }
        case 'pocketbase': {
          const template = await pocketBaseTemplate(pets);
          return inFolder(async (own) => {
            const place = join(own, 'pocketbase');
            await copyForRound(template, place);
            return place;
          });
        }
        case 'answers': {
          const captured = await once(answers, `${workload.id} ${pets}`, async () => {
            await using original = await copySqlite('service', pets);
            return await captureAnswers(original.place, workload, pets);
          });
          return inFolder(async (own) => {
            const place = join(own, 'answers.json');
            await Bun.write(place, JSON.stringify(captured));
            return place;
          });
        }
        case 'postgres': {
          const server = await once(postgres, 'server', () => openPostgresData(coreLayout(1).load));
          const copy = await server.copy(pets);
          return { place: copy.address, [Symbol.asyncDispose]: () => copy[Symbol.asyncDispose]() };
        }
      }
    },
    requests(contestant, workload, pets) {
      const name = `${contestant.id}-${workload.id}-${pets}`;
      return once(requestFiles, name, () => files(contestant, workload, pets, name));
    },
    postgresVersion: async () => (await postgres.get('server'))?.version,
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]();
      for (const copy of shared.values()) await (await copy)[Symbol.asyncDispose]();
      await (await postgres.get('server'))?.[Symbol.asyncDispose]();
    },
  };
}

/** Made on first use and kept; what could not be made is tried again the next time. */
async function once<Key, Value>(
  kept: Map<Key, Promise<Value>>,
  key: Key,
  make: () => Promise<Value>,
): Promise<Value> {
  try {
    return await kept.getOrInsertComputed(key, make);
  } catch (error) {
    kept.delete(key);
    throw error;
  }
}

/** What the service itself answers to the first request of each kind, so that the limit sends no byte less. */
async function captureAnswers(place: string, workload: Workload, pets: number): Promise<CapturedAnswers> {
  const { server: cores } = coreLayout(1);
  await using server = await startServer({ contestant: 'petstore', place, processes: 1, cores });
  const requests = workload.requests(ownSpelling, pets);
  const get = requests.find(({ method }) => method === 'GET') ?? ownSpelling.list({});
  const post = requests.find(({ method }) => method === 'POST') ?? ownSpelling.create(0);
  let answer = await captureAnswer(server.url, get, server.headers);
  if (workload.isConditional) {
    const condition = { 'If-None-Match': answer.headers['etag'] ?? '' };
    answer = await captureAnswer(server.url, get, { ...server.headers, ...condition });
  }
  return { GET: answer, POST: await captureAnswer(server.url, post, server.headers) };
}

async function inFolder(fill: (folder: string) => Promise<string>): Promise<Place> {
  const folder = makeTemporaryFolder('round');
  try {
    const place = await fill(folder.path);
    return { place, [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() };
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
}
