import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { version } from '../../package.json';
import { OperatorError } from '../domain/error.ts';
import { addressOf, refuseTakenPort } from '../server/listener.ts';
import type { ServeOptions } from '../server/options.ts';
import { loadTls } from '../server/tls.ts';
import { storeAt } from '../stores/open.ts';
import { sqliteVersion } from '../stores/sqlite/connect.ts';
import { inspectSqlite } from '../stores/sqlite/maintenance/inspect.ts';
import { resolveLinks, systemReason } from '../system/files.ts';
import { askLocally, localAddressOf } from './local-service.ts';
import { addServeOptions, readServeOptions, shortKeyWarning } from './settings.ts';
import { contentOf, countOf, printJson, renderTable } from './terminal/output.ts';
import { reportOnTerminal } from './terminal/progress.ts';
import { addExamples } from './terminal/usage.ts';

export function define(command: Command): void {
  command
    .description(
      'Check the configuration, the program, the port, the store, its rights, the disk and the keys, report problems ' +
        'and say how to fix them. Nothing is changed. The exit status is 1 if there is a problem, otherwise 0. The ' +
        'options are those of petstore serve.',
    )
    .option('--json', 'Print JSON instead of text.')
    .action(doctor);
  addServeOptions(command);
  addExamples(
    command,
    'petstore doctor',
    'petstore doctor --database-url /var/lib/petstore.db --host 0.0.0.0',
    'petstore doctor --json',
  );
}

async function doctor(_options: unknown, command: Command): Promise<void> {
  const { json, ...texts } = command.opts<Record<string, string | boolean>>();
  const findings = await Array.fromAsync(examine(texts));
  if (json) printJson({ ok: !hasProblem(findings), findings });
  else process.stdout.write(renderFindings(findings));
  process.exitCode = hasProblem(findings) ? 1 : 0;
}

async function* examine(texts: Record<string, string | boolean>): AsyncGenerator<Finding> {
  let options: ServeOptions;
  let path: string | undefined;
  try {
    options = readServeOptions(texts);
    ({ path } = storeAt(options.databaseUrl));
    await loadTls(options);
  } catch (error) {
    yield problemOf('configuration', error);
    return;
  }
  yield ok('configuration', 'Every setting has a valid value.');
  yield ok('program', `petstore ${version} has Bun ${Bun.version} and SQLite ${sqliteVersion()} inside.`);
  yield await checkPort(options);
  const store =
    path === undefined
      ? await checkPostgres(options.databaseUrl, process.env)
      : await checkEmbeddedStore(path);
  yield* store.findings;
  if (path !== undefined) yield checkDisk(path);
  // An unreadable store has already been reported.
  if (!hasProblem(store.findings)) yield checkKeys(options, store);
}

function checkKeys(options: ServeOptions, store: StoreReport): Finding {
  const shortKey = shortKeyWarning(options);
  if (shortKey) return warning('keys', ...shortKey);
  const count = options.apiKeys.length + store.usableKeyCount;
  if (count > 0) return ok('keys', `${countOf(count, 'API key')} can be used.`);
  if (store.makesFirstKey) return ok('keys', 'There is no API key yet; the first start creates one.');
  return warning(
    'keys',
    'No API key can be used, so every request is refused.',
    'Create one: petstore keys create --name NAME',
  );
}

function renderFindings(findings: Finding[]): string {
  const rows = findings.flatMap(({ check, state, message, remedy }) => [
    [state === 'problem' ? 'PROBLEM' : state, check, message],
    ...(remedy === undefined ? [] : [['', '', remedy]]),
  ]);
  return `${renderTable(rows)}\n${summarize(findings)}\n`;
}

function summarize(findings: Finding[]): string {
  const count = (wanted: Finding['state']) => findings.filter(({ state }) => state === wanted).length;
  if (count('problem') > 0) return `Problems: ${count('problem')}. Warnings: ${count('warning')}.`;
  if (count('warning') > 0) return `The service can run. Warnings: ${count('warning')}.`;
  return 'All is well.';
}

const gibibyte = 1024 ** 3;
const exhaustedBytes = 100 * 1024 ** 2;
const responseMs = 5000;

async function checkPort(options: ServeOptions): Promise<Finding> {
  const { port } = options;
  const address = addressOf(options, port);
  try {
    refuseTakenPort(options);
    return ok('port', port === 0 ? 'Any free port will do.' : `${address} is free.`);
  } catch (error) {
    const response = await askLocally(`${localAddressOf(options, port)}/livez`, responseMs);
    const isOurs = response?.status === 200 && response.headers.has('X-Request-Id');
    if (!isOurs) return problemOf('port', error);
    return ok('port', `A service responds at ${address}.`);
  }
}

function checkDisk(path: string): Finding {
  const folder = nearestFolder(path);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${(free / gibibyte).toFixed(1)} GiB are free in ${folder}.`;
  const remedy = 'Make room, or move the store to a larger disk.';
  if (free < exhaustedBytes) return problem('disk', text, remedy);
  return free < gibibyte ? warning('disk', text, remedy) : ok('disk', text);
}

/** The folder of a file, or its nearest ancestor that exists. */
function nearestFolder(path: string): string {
  let folder = dirname(resolve(path));
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

interface StoreReport {
  findings: Finding[];
  usableKeyCount: number;
  /** True before the first start, which creates a key. */
  makesFirstKey: boolean;
}

async function checkEmbeddedStore(name: string): Promise<StoreReport> {
  // A link may lead to another folder, even if its target does not exist yet.
  const path = resolveLinks(name);
  const makesFirstKey = !existsSync(path);
  const rights = checkRights(path);
  if (rights.state === 'problem') return { findings: [rights], usableKeyCount: 0, makesFirstKey };
  try {
    const { usableKeyCount, ...content } = await inspectSqlite(name, reportOnTerminal());
    const state = makesFirstKey
      ? 'does not exist yet; the first start creates it'
      : `is sound and holds ${contentOf(content)}`;
    return { findings: [ok('store', `${name} ${state}.`), rights], usableKeyCount, makesFirstKey };
  } catch (error) {
    return { findings: [problemOf('store', error)], usableKeyCount: 0, makesFirstKey };
  }
}

/** Includes the -wal and -shm files: after a start as another user, they would lock the right user out. */
function checkRights(path: string): Finding {
  const folder = nearestFolder(path);
  for (const file of [folder, path, `${path}-wal`, `${path}-shm`].filter((each) => existsSync(each))) {
    try {
      accessSync(file, constants.R_OK | constants.W_OK);
    } catch (error) {
      const message = `This user may not read and write ${file}: ${systemReason(error)}.`;
      return problem('rights', message, 'Make it writable for the service, for example with chown.');
    }
  }
  if (!existsSync(path)) return ok('rights', `${folder} can be written.`);
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    return warning('rights', `${path} can be read by other users.`, `Run chmod 600 ${path}.`);
  return ok('rights', 'The store can be written, and no other user can read it.');
}

async function checkPostgres(address: string, environment: NodeJS.ProcessEnv): Promise<StoreReport> {
  const { inspectPostgres } = await import('../stores/postgres/inspect.ts');
  try {
    const inspection = await inspectPostgres(address, environment, reportOnTerminal());
    const { content, isNew } = inspection;
    const { usableKeyCount } = content;
    const state = isNew ? 'holds no store yet; the first start creates it' : `holds ${contentOf(content)}`;
    const findings = [
      ok('store', `PostgreSQL ${inspection.version} at ${storeAt(address).name} responds and ${state}.`),
      inspection.problemOfRights
        ? problemOf('rights', inspection.problemOfRights)
        : ok('rights', 'The role may write.'),
    ];
    return { findings, usableKeyCount, makesFirstKey: false };
  } catch (error) {
    return { findings: [problemOf('store', error)], usableKeyCount: 0, makesFirstKey: false };
  }
}

/** The result of one check. */
interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'problem';
  message: string;
  remedy?: string;
}

function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message };
}

function warning(check: string, message: string, remedy: string): Finding {
  return { check, state: 'warning', message, remedy };
}

function problem(check: string, message: string, remedy: string): Finding {
  return { check, state: 'problem', message, remedy };
}

/** Turns an error that a command would show into a finding. */
function problemOf(check: string, error: unknown): Finding {
  if (!(error instanceof OperatorError)) throw error;
  const { problem: message, remedy } = error;
  return { check, state: 'problem', message, ...(remedy !== undefined && { remedy }) };
}

function hasProblem(findings: Finding[]): boolean {
  return findings.some(({ state }) => state === 'problem');
}
