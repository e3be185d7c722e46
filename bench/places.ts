import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureAnswer, type CapturedAnswers } from './capture.ts';
import type { Contestant } from './contestant.ts';
import { coreLayout } from './cores.ts';
import { cacheFolder, copyForRound, jsonTemplate, sqliteTemplate } from './data.ts';
import { pocketBaseTemplate } from './pocketbase.ts';
import { openPostgresData, type PostgresData } from './postgres-data.ts';
import { ownSpelling } from './requests.ts';
import { startServer } from './server.ts';
import type { Workload } from './workloads.ts';

/** A fresh copy of the data for one round, and a folder for what the round writes. */
export interface Place extends AsyncDisposable {
  place: string;
  folder: string;
}

export interface Places extends AsyncDisposable {
  open(contestant: Contestant, workload: Workload, animals: number): Promise<Place>;
  /** The version of PostgreSQL, if it was used. */
  postgresVersion(): Promise<string | undefined>;
}

export function openPlaces(dataFolder = cacheFolder): Places {
  let postgres: Promise<PostgresData> | undefined;
  const answers = new Map<string, Promise<CapturedAnswers>>();

  const openSqlite = async (animals: number): Promise<Place> => {
    const template = await sqliteTemplate(animals, dataFolder);
    return inFolder(async (folder) => {
      const place = join(folder, 'petstore.db');
      await copyForRound(template, place);
      return place;
    });
  };

  return {
    async open({ data }, workload, animals) {
      switch (data) {
        case 'sqlite':
          return openSqlite(animals);
        case 'json': {
          const template = await jsonTemplate(animals);
          return inFolder(async (folder) => {
            const place = join(folder, 'pets.json');
            await copyForRound(template, place);
            return place;
          });
        }
        case 'pocketbase': {
          const template = await pocketBaseTemplate(animals);
          return inFolder(async (folder) => {
            const place = join(folder, 'pocketbase');
            await copyForRound(template, place);
            return place;
          });
        }
        case 'answers': {
          const captured = await answers.getOrInsertComputed(`${workload.id} ${animals}`, async () => {
            await using original = await openSqlite(animals);
            return await captureAnswers(original.place, workload, animals);
          });
          return inFolder(async (folder) => {
            const place = join(folder, 'answers.json');
            await Bun.write(place, JSON.stringify(captured));
            return place;
          });
        }
        case 'postgres': {
          postgres ??= openPostgresData(coreLayout(1).load);
          const copy = await (await postgres).copy(animals);
          const place = await inFolder(async () => copy.address);
          return {
            ...place,
            async [Symbol.asyncDispose]() {
              await place[Symbol.asyncDispose]();
              await copy[Symbol.asyncDispose]();
            },
          };
        }
      }
    },
    postgresVersion: async () => (await postgres)?.version,
    async [Symbol.asyncDispose]() {
      await (await postgres)?.[Symbol.asyncDispose]();
    },
  };
}

/** What the service itself answers to the first request of each kind, so that the limit sends no byte less. */
async function captureAnswers(place: string, workload: Workload, animals: number): Promise<CapturedAnswers> {
  const { server: cores } = coreLayout(1);
  await using server = await startServer({ contestant: 'petstore', place, processes: 1, cores });
  const requests = workload.requests(ownSpelling, animals);
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
  const folder = await mkdtemp(join(tmpdir(), 'petstore-round-'));
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    return { place: await fill(folder), folder, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
