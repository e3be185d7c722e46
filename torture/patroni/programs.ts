import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { missingProgram } from '../support/needs.ts';
import { missingNetwork } from './network.ts';

/** Debian keeps the servers of each release in a folder of their own. */
const postgresFolder = '/usr/lib/postgresql';
/** Not the one of the PATH, which may be another than the one that has Debian's modules. */
const python = '/usr/bin/python3';
const modules = ['psycopg2', 'yaml', 'click', 'dateutil', 'prettytable', 'psutil', 'urllib3', 'etcd', 'six'];
const oldest = [3, 0, 3];

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

function missingPatroni(): string | undefined {
  const home = process.env['PATRONI_HOME'];
  const remedy =
    'set PATRONI_HOME to a checkout of github.com/patroni/patroni, release 4, and apt-get install ' +
    modules.map((name) => `python3-${name}`).join(' ');
  if (home === undefined) {
    const absent = missingProgram('patroni', `apt-get install patroni, 3.0.3 or newer, or ${remedy}`);
    if (absent !== undefined) return absent;
  } else {
    if (!existsSync(join(home, 'patroni.py'))) return `there is no patroni.py in PATRONI_HOME; ${remedy}`;
    const absent = modules.filter((name) => !Bun.spawnSync([python, '-c', `import ${name}`]).success);
    if (absent.length > 0) {
      return `Python modules are missing (apt-get install ${absent.map((name) => `python3-${name}`).join(' ')})`;
    }
  }
  const { stdout } = Bun.spawnSync([...patroniCommand(), '--version']);
  const [, version = ''] = /(\d+\.\d+\.\d+)/.exec(stdout.toString()) ?? [];
  if (isRecentPatroni(version)) return undefined;
  return `Patroni ${version || 'of an unknown version'} loses acknowledged writes when a hung leader wakes; ${remedy}`;
}

/** The first release that fences a hung leader when it wakes is 3.0.3. */
export function isRecentPatroni(version: string): boolean {
  const parts = version.split('.').map(Number);
  const differs = oldest.findIndex((least, index) => parts[index] !== least);
  return differs === -1 || (parts[differs] ?? 0) > (oldest[differs] ?? 0);
}

function versionsOf(folder: string): number[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'bin/postgres')))
    .map(Number);
}
