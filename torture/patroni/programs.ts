import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { missingProgram } from '../support/needs.ts';
import { missingNetwork } from './network.ts';

/** Debian keeps the servers of each release in a folder of their own. */
const postgresFolder = '/usr/lib/postgresql';
/** Not the one of the PATH, which may be another than the one that has Debian's modules. */
const python = '/usr/bin/python3';

/** Starts Patroni: from the source folder in PATRONI_HOME, or the one that is installed. */
export function patroniCommand(): string[] {
  const home = process.env['PATRONI_HOME'];
  return home === undefined ? ['patroni'] : [python, join(home, 'patroni.py')];
}

/** The folder with `initdb`, `postgres`, `pg_rewind` and `pg_basebackup`; the package from npm lacks the last two. */
export function postgresBinaries(): string {
  const [newest] = versionsOf(postgresFolder).toSorted((a, b) => b - a);
  return join(postgresFolder, String(newest), 'bin');
}

/** What this machine lacks for a Patroni cluster, and how to get it. */
export function missingForPatroni(): string | undefined {
  const absent = [
    missingNetwork(),
    missingProgram('etcd', 'apt-get install etcd-server'),
    missingProgram('haproxy', 'apt-get install haproxy'),
    versionsOf(postgresFolder).length === 0
      ? 'PostgreSQL is missing (apt-get install postgresql)'
      : undefined,
    missingPatroni(),
  ].filter((reason) => reason !== undefined);
  return absent.length === 0 ? undefined : absent.join('; ');
}

/** The first release that fences a hung leader when it wakes is 3.0.3. */
function missingPatroni(): string | undefined {
  const [program = '', ...args] = patroniCommand();
  const remedy =
    'install 3.0.3 or newer, or set PATRONI_HOME to a checkout of github.com/patroni/patroni whose modules Python has';
  if (Bun.which(program) === null) return `${program} is not installed (${remedy})`;
  const { stdout } = Bun.spawnSync([program, ...args, '--version']);
  const version = /(\d+\.\d+\.\d+)/.exec(stdout.toString())?.[1];
  if (version !== undefined && Bun.semver.order(version, '3.0.3') >= 0) return undefined;
  return `Patroni ${version ?? 'of an unknown version'} loses acknowledged writes when a hung leader wakes; ${remedy}`;
}

function versionsOf(folder: string): number[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'bin/postgres')))
    .map(Number);
}
