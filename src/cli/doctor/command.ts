import { styleText } from 'node:util';
import type { Command } from 'commander';
import { version } from '../../../package.json';
import type { ServeOptions } from '../../server/options.ts';
import { loadTls } from '../../server/listener.ts';
import { sqliteVersion } from '../../stores/sqlite/connect.ts';
import { storeAt } from '../../stores/open.ts';
import { addServeOptions, readServeOptions } from '../settings.ts';
import { addExamples } from '../terminal/help.ts';
import { countOf, printJson, renderTable } from '../terminal/output.ts';
import { hasProblem, ok, problemOf, warning, type Finding } from './finding.ts';
import { checkDisk, checkPort } from './machine.ts';
import { checkEmbeddedStore, checkPostgres, type StoreReport } from './store.ts';

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

async function doctor({ json, ...texts }: Record<string, string | boolean>): Promise<void> {
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
    path === undefined ? await checkPostgres(options.databaseUrl, process.env) : checkEmbeddedStore(path);
  yield* store.findings;
  if (path !== undefined) yield checkDisk(path);
  // An unreadable store has already been reported.
  if (!hasProblem(store.findings)) yield checkKeys(options, store);
}

/** Random letters and digits of this length have 95 bits of entropy. */
const shortestSafeKey = 16;

function checkKeys({ apiKeys }: ServeOptions, store: StoreReport): Finding {
  if (apiKeys.some((key) => key.length < shortestSafeKey)) {
    return warning(
      'keys',
      'A key in API_KEYS is so short that it can be guessed.',
      'Use a key of the store instead: petstore keys create --name NAME',
    );
  }
  const count = apiKeys.length + store.usableKeyCount;
  if (count > 0) return ok('keys', `${countOf(count, 'API key')} can be used.`);
  if (store.makesFirstKey) return ok('keys', 'There is no API key yet; the first start creates one.');
  return warning(
    'keys',
    'No API key can be used, so every request is refused.',
    'Create one: petstore keys create --name NAME',
  );
}

const marks = { ok: 'ok', warning: 'warning', problem: 'PROBLEM' };
const colours = { ok: 'green', warning: 'yellow', PROBLEM: 'red' } as const;

function renderFindings(findings: Finding[]): string {
  const rows = findings.flatMap(({ check, state, message, remedy }) => [
    [marks[state], check, message],
    ...(remedy === undefined ? [] : [['', '', remedy]]),
  ]);
  const coloured = renderTable(rows).replace(/^(ok|warning|PROBLEM)\b/gm, (mark) =>
    styleText(colours[mark as keyof typeof colours], mark),
  );
  return `${coloured}\n${summarize(findings)}\n`;
}

function summarize(findings: Finding[]): string {
  const count = (wanted: Finding['state']) => findings.filter(({ state }) => state === wanted).length;
  if (count('problem') > 0) return `Problems: ${count('problem')}. Warnings: ${count('warning')}.`;
  if (count('warning') > 0) return `The service can run. Warnings: ${count('warning')}.`;
  return 'All is well.';
}
