import type { Command } from 'commander';
import { version } from '../../package.json';
import { OperatorError } from '../domain/error.ts';
import { addressOf, loadTls, refuseTakenPort } from '../server/listener.ts';
import { type ServeOptions, warnOfNoKey, warnOfSettings } from '../server/options.ts';
import { storeAt } from '../stores/open.ts';
import { sqliteVersion } from '../stores/sqlite/connect.ts';
import { createLog } from '../system/log.ts';
import { askLocally, localAddressOf } from './service.ts';
import { addServeOptions, readServeOptions } from './settings.ts';
import { contentOf, countOf, print, report } from './terminal/output.ts';
import { reportOnTerminal } from '../system/progress.ts';
import { addExamples } from './terminal/usage.ts';

export function define(command: Command): void {
  command
    .description(
      'Check what petstore serve would use: the settings, the port and every row of the store. Nothing is created or ' +
        'changed, and a service may run meanwhile. The exit status is 0 if it could start, otherwise 1. The options are ' +
        'those of petstore serve.',
    )
    .action(check);
  addServeOptions(command);
  addExamples(
    command,
    'petstore check',
    'petstore --env-file /etc/petstore/petstore.env check',
    'petstore check --port 0 --database-url /backups/copy.db',
  );
}

async function check(texts: Record<string, string | boolean>): Promise<void> {
  print(`petstore ${version} has Bun ${Bun.version} and SQLite ${sqliteVersion()} inside.\n`);
  try {
    const options = readServeOptions(texts);
    await loadTls(options);
    warnOfSettings(options, log);
    print('The settings are valid.\n');
    await checkPort(options);
    await checkStore(options);
  } catch (error) {
    // A start exits with 2 if a setting is wrong, so that systemd does not try again.
    throw error instanceof OperatorError ? new OperatorError(error.problem, error.remedy) : error;
  }
}

/** What a start logs is shown as a line. */
const log = createLog({
  level: 'warn',
  render: (_time, _level, message, fields) =>
    [message, ...Object.entries(fields).map(([name, value]) => `${name}=${value}`)].join(' '),
  write: (line) => report(`petstore: ${line.trimEnd()}`),
});

const responseMs = 5000;

/** Accepts a port at which our own service responds. */
async function checkPort(options: ServeOptions): Promise<void> {
  const { port } = options;
  const address = addressOf(options, port);
  try {
    refuseTakenPort(options);
    print(port === 0 ? 'Any free port will do.\n' : `${address} is free.\n`);
  } catch (error) {
    const response = await askLocally(`${localAddressOf(options, port)}/livez`, responseMs);
    if (response?.status !== 200 || !response.headers.has('X-Request-Id')) throw error;
    print(`A service responds at ${address}.\n`);
  }
}

async function checkStore({ databaseUrl, apiKeys }: ServeOptions): Promise<void> {
  const location = storeAt(databaseUrl);
  const { engine, content } = await location.check({ log, report: reportOnTerminal() });
  if (!content) {
    print(`There is no store at ${location.name} (${engine}) yet. The first start makes it.\n`);
    return;
  }
  const usableKeyCount = apiKeys.length + content.usableKeyCount;
  const keys = countOf(usableKeyCount, 'API key');
  print(`${location.name} (${engine}) is sound and holds ${contentOf(content)}. ${keys} can be used.\n`);
  if (usableKeyCount === 0) warnOfNoKey(log);
}
