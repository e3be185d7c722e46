import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { inspectSqlite } from '../../stores/sqlite/maintenance/inspect.ts';
import { resolveLinks } from '../../system/files.ts';
import { storeAt } from '../../stores/open.ts';
import { contentOf } from '../terminal/output.ts';
import { reportOnTerminal } from '../terminal/progress.ts';
import { ok, problem, problemOf, warning, type Finding } from './finding.ts';
import { nearestFolder } from './machine.ts';

export interface StoreReport {
  findings: Finding[];
  usableKeyCount: number;
  /** True before the first start, which creates a key. */
  makesFirstKey: boolean;
}

export function checkEmbeddedStore(name: string): StoreReport {
  // A link may lead to another folder, even if its target does not exist yet.
  const path = resolveLinks(name);
  const makesFirstKey = !existsSync(path);
  const rights = checkRights(path);
  if (rights.state === 'problem') return { findings: [rights], usableKeyCount: 0, makesFirstKey };
  try {
    const { usableKeyCount, ...content } = inspectSqlite(name, Date.now(), reportOnTerminal());
    const state = makesFirstKey
      ? 'does not exist yet; the first start creates it'
      : `is sound and holds ${contentOf(content)}`;
    return { findings: [ok('store', `${name} ${state}.`), rights], usableKeyCount, makesFirstKey };
  } catch (error) {
    return { findings: [problemOf('store', error), rights], usableKeyCount: 0, makesFirstKey };
  }
}

/** Includes the -wal and -shm files: after a start as another user, they would lock the right user out. */
function checkRights(path: string): Finding {
  const user = process.getuid === undefined ? 'This user' : `The user with the id ${process.getuid()}`;
  const remedy = (files: string) => `Run chown for ${files}, or start the service as their owner.`;
  if (!existsSync(path)) {
    const folder = nearestFolder(path);
    if (mayUse(folder, constants.W_OK | constants.X_OK)) return ok('rights', `${folder} can be written.`);
    return problem(
      'rights',
      `${user} may not create the store: ${folder} cannot be written.`,
      remedy(folder),
    );
  }
  const stats = statSync(path);
  if (!stats.isFile()) return problem('store', `${path} is not a file.`, 'Name a file with --database-url.');
  const files = [dirname(resolve(path)), path, `${path}-wal`, `${path}-shm`];
  const mode = constants.R_OK | constants.W_OK;
  const refused = files.filter((file) => existsSync(file) && !mayUse(file, mode)).join(', ');
  if (refused !== '') return problem('rights', `${user} may not read and write ${refused}.`, remedy(refused));
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    return warning('rights', `${path} can be read by other users.`, `Run chmod 600 ${path}.`);
  }
  return ok('rights', 'The store can be written, and no other user can read it.');
}

function mayUse(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

const grantRights = 'GRANT it SELECT, INSERT, UPDATE and DELETE on all tables and USAGE on all sequences.';

export async function checkPostgres(address: string, environment: NodeJS.ProcessEnv): Promise<StoreReport> {
  const { inspectPostgres } = await import('../../stores/postgres/maintenance/inspect.ts');
  try {
    const inspection = await inspectPostgres(address, environment);
    const { version, usableKeyCount, isNew } = inspection;
    const state = isNew
      ? 'holds no store yet; the first start creates it'
      : `holds about ${contentOf(inspection)}`;
    const findings = [
      ok('store', `PostgreSQL ${version} at ${storeAt(address).name} responds and ${state}.`),
      inspection.mayWrite
        ? ok('rights', 'The role may write.')
        : problem('rights', 'The role lacks rights.', grantRights),
    ];
    return { findings, usableKeyCount, makesFirstKey: false };
  } catch (error) {
    return { findings: [problemOf('store', error)], usableKeyCount: 0, makesFirstKey: false };
  }
}
