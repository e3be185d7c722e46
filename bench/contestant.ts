import { join } from 'node:path';
import { apiKey } from './data.ts';
import { ownSpelling, peerSpelling, type Spelling } from './requests.ts';
import type { ContestantKind } from './results.ts';

/** What a contestant is started with. */
export interface StartContext {
  port: number;
  /** A file, a folder or an address, as `data` says. */
  place: string;
  processes: number;
  withEtag: boolean;
  /** The root of the service that is started; this one unless it says so. */
  checkout?: string;
}

export interface Start {
  command: string[];
  env: Record<string, string>;
}

export interface Contestant {
  id: string;
  name: string;
  kind: ContestantKind;
  what: string;
  settings: string;
  /** Packages of bench/peers whose versions belong to the result. */
  packages: string[];
  /** The service and its peers keep the same pets, each in tables of their own. */
  data: 'service' | 'sqlite' | 'postgres' | 'json' | 'pocketbase' | 'answers';
  spelling: Spelling;
  start(context: StartContext): Start;
  /** Gives the credential where it is not the API key. */
  authorize?: (url: string) => Promise<string>;
  /** Workloads that it cannot do; it is compared in all others of its store. */
  cannot?: string[];
  /** Workloads that are left out to keep a run short. */
  skips?: string[];
  /** Where a second is not enough. */
  warmUpSeconds?: number;
  /** Seconds of load, without a warm-up, for workloads of which it answers only a few requests a second. */
  slow?: Record<string, number>;
}

const benchFolder = import.meta.dir;
export const peersFolder = join(benchFolder, 'peers');
export const builtNestApp = join(peersFolder, 'node_modules/.bench/nest.mjs');

/**
 * Compilers take their time. NestJS answered 1,600 lists a second after 1 s, 4,300 after 2, 7,100 after 3, 6,000 after
 * 6; Elysia has nine tenths of its speed after 1 s. The service has 0.99 of it by then.
 */
export const longWarmUpSeconds = 3;

export const sqliteSettings = 'WAL, synchronous=FULL';
const postgresSettings = 'fsync and synchronous_commit on; pool of 10';
/** Variants of a list and of a create. */
export const variantsOfOthers = ['list-status', 'list-deep', 'mix'];
export const withoutEtag = ['not-modified'];
export const slowDiskWorkloads = ['slow-disk-quiet', 'slow-disk-busy'];

export function onNode(file: string): Contestant['start'] {
  return ({ port, place, withEtag }) => ({
    command: ['node', join(peersFolder, file)],
    env: peerEnvironment(port, place, withEtag),
  });
}

export function onBun(file: string): Contestant['start'] {
  return ({ port, place, withEtag }) => ({
    command: [process.execPath, join(peersFolder, file)],
    env: peerEnvironment(port, place, withEtag),
  });
}

export function peerEnvironment(port: number, place: string, withEtag: boolean): Record<string, string> {
  return {
    NODE_ENV: 'production',
    PORT: String(port),
    API_KEY: apiKey,
    DATABASE_URL: place,
    WITH_ETAG: String(withEtag),
  };
}

/** The service as users get it: every setting is the default but the place and the port. */
export const startService: Contestant['start'] = ({ port, place, processes, checkout }) => ({
  command: [process.execPath, join(checkout ?? join(benchFolder, '..'), 'src/cli/petstore.ts'), 'serve'],
  env: {
    PORT: String(port),
    DATABASE_URL: place,
    ...(processes > 1 && { WORKERS: String(processes) }),
  },
});

export function limit(id: string, name: string, what: string, program: string[]): Contestant {
  return {
    id,
    name,
    kind: 'limit',
    what,
    settings: 'no key check, no database',
    packages: [],
    data: 'answers',
    spelling: ownSpelling,
    start: ({ port, place }) => ({ command: program, env: { PORT: String(port), ANSWERS: place } }),
    cannot: slowDiskWorkloads,
  };
}

type PeerParts = Pick<
  Contestant,
  'id' | 'name' | 'what' | 'packages' | 'data' | 'start' | 'cannot' | 'warmUpSeconds'
>;

export function peer(parts: PeerParts): Contestant {
  return {
    kind: 'peer',
    settings: parts.data === 'sqlite' ? sqliteSettings : postgresSettings,
    spelling: peerSpelling,
    ...parts,
  };
}
