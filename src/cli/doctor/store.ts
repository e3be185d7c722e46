import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { inspectSqlite } from '../../sqlite/inspect.ts';
import { resolveLinks } from '../../sqlite/opening/store-file.ts';
import { holdsFrames } from '../../sqlite/wal/frames.ts';
import { checkPrivacy, nearestFolder, type ClockReference } from './machine.ts';
import { ok, problem, problemOf, warning, type Finding } from './finding.ts';
import { reportOnTerminal } from '../terminal/progress.ts';

export interface StoreReport {
  findings: Finding[];
  usableKeyCount: number;
  /** True when the first start has still to come, and with it a key. */
  makesFirstKey: boolean;
  clock: ClockReference;
}

/** Where WAL cannot work, because the processes of several machines share no memory; as `statfs` names them. */
const networkFileSystems = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
]);
const memoryFileSystems = new Set([0x01021994, 0x858458f6]);

export function checkEmbeddedStore(name: string, now: number): StoreReport {
  // A link may lead to another folder, also one to a file that does not exist yet.
  const path = resolveLinks(name);
  const findings: Finding[] = [...checkRights(path), ...checkFileSystem(path)];
  const report: StoreReport = { findings, usableKeyCount: 0, makesFirstKey: !existsSync(path), clock: {} };
  if (findings.some(({ state }) => state === 'problem')) return report;
  if (report.makesFirstKey) {
    findings.unshift(describeMissing(name, path));
    return report;
  }
  try {
    const { petCount, usableKeyCount, latestTime } = inspectSqlite(
      name,
      now,
      reportOnTerminal(process.stderr),
    );
    findings.unshift(ok('store', `${name} is sound and holds ${petCount.toLocaleString('en')} pets.`));
    return { ...report, usableKeyCount, clock: { latestTime } };
  } catch (error) {
    findings.unshift(problemOf('store', error));
    return report;
  }
}

/** A log outlives its file only when the file was moved or removed. */
function describeMissing(name: string, path: string): Finding {
  const log = `${path}-wal`;
  if (!existsSync(log)) return ok('store', `${name} does not exist yet; the first start makes it.`);
  const remedy = `Put the file back, or restore a backup: petstore restore FILE --database-url ${name}`;
  return holdsFrames(log)
    ? problem('store', `${name} is gone, but its log holds commits, so the service does not start.`, remedy)
    : warning('store', `${name} is gone, but its log is still there. A start makes an empty store.`, remedy);
}

/** The side files, too: left behind by a start as another user, they keep the right one out. */
function checkRights(path: string): Finding[] {
  const user = process.getuid === undefined ? 'this user' : `the user with the id ${process.getuid()}`;
  const remedy = (thing: string) => `Run chown for ${thing}, or start the service as its owner.`;
  if (!existsSync(path)) {
    const folder = nearestFolder(path);
    return mayUse(folder, constants.W_OK | constants.X_OK)
      ? []
      : [problem('rights', `${user} may not make the store: ${folder} cannot be written.`, remedy(folder))];
  }
  const { nlink } = statSync(path);
  if (!statSync(path).isFile()) {
    return [problem('store', `${path} is no file.`, 'Name a file with --database-url.')];
  }
  if (nlink > 1) {
    return [
      warning(
        'store',
        `${path} has ${nlink} names (hard links). Whoever opens it by another one finds another log.`,
        'Keep one name, and use symbolic links for the others.',
      ),
    ];
  }
  const folder = dirname(resolve(path));
  const needed = [folder, path, `${path}-wal`, `${path}-shm`].filter((file) => existsSync(file));
  const refused = needed.filter((file) => !mayUse(file, constants.R_OK | constants.W_OK));
  if (refused.length > 0) {
    const list = refused.join(', ');
    return [problem('rights', `${user} may not read and write ${list}.`, remedy(list))];
  }
  const exposed = checkPrivacy('rights', path);
  return exposed.length > 0 ? exposed : [ok('rights', 'The store can be written, and read by nobody else.')];
}

function mayUse(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function checkFileSystem(path: string): Finding[] {
  const folder = nearestFolder(path);
  const { type } = statfsSync(folder);
  const network = networkFileSystems.get(type);
  if (network !== undefined) {
    return [
      problem(
        'store',
        `${folder} is on a network file system (${network}), where SQLite can lose data.`,
        'Keep the store on a disk of this machine, or use a postgres: address.',
      ),
    ];
  }
  if (!memoryFileSystems.has(type)) return [];
  return [
    warning(
      'store',
      `${folder} is kept in memory and is lost with the next restart of the machine.`,
      'Choose a place on a disk with --database-url.',
    ),
  ];
}

export async function checkPostgres(address: string): Promise<StoreReport> {
  const { inspectPostgres } = await import('../../postgres/inspect.ts');
  try {
    const { version, petCount, usableKeyCount, isNew, mayWrite, serverTime } = await inspectPostgres(
      address,
      process.env,
    );
    const state = isNew
      ? 'holds no store yet; the first start makes it'
      : `holds about ${petCount.toLocaleString('en')} pets`;
    const findings = [ok('store', `PostgreSQL ${version} answers and ${state}.`)];
    if (mayWrite) findings.push(ok('rights', 'The role may write.'));
    else {
      findings.push(
        problem(
          'rights',
          'The role may not write the pets.',
          'GRANT SELECT, INSERT, UPDATE, DELETE on all tables and USAGE on all sequences to it.',
        ),
      );
    }
    return { findings, usableKeyCount, makesFirstKey: false, clock: { serverTime } };
  } catch (error) {
    return { findings: [problemOf('store', error)], usableKeyCount: 0, makesFirstKey: false, clock: {} };
  }
}
