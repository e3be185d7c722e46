import { OperatorError } from '../../error.ts';
import { parsePlace } from '../../stores.ts';
import { readConfig, settings } from '../config.ts';
import type { ServeOptions } from '../../server/options.ts';
import { checkClock, checkDisk, checkListening, checkTls } from './machine.ts';
import { checkEmbeddedStore, checkPostgres, type StoreReport } from './store.ts';
import { ok, problemOf, warning, type Finding } from './finding.ts';
import { print } from '../terminal/output.ts';
import { visible } from '../terminal/visible.ts';

const help = `Look at the configuration, the store, the disk, the clock and the rights; say what is wrong and how to fix
it. Nothing is changed. The exit status is 1 when there is a problem, 0 otherwise, warnings included.

Usage: petstore doctor [--json] [options of petstore serve]

Options:
  --json                Print JSON instead of text.
  --database-url PLACE  ${settings.databaseUrl.help} (DATABASE_URL)
                        Default: ${settings.databaseUrl.fallback}
  Every other option and variable of petstore serve: what it would run with is what is looked at.

Examples:
  petstore doctor
  petstore doctor --database-url /var/lib/petstore/petstore.db --host 0.0.0.0
  petstore doctor --json
`;

export async function doctor(args: string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) return print(help);
  const isJson = args.includes('--json');
  const findings = await examine(args.filter((argument) => argument !== '--json'));
  const hasProblem = findings.some(({ state }) => state === 'problem');
  print(isJson ? `${JSON.stringify({ ok: !hasProblem, findings }, null, 2)}\n` : asText(findings));
  return hasProblem ? 1 : 0;
}

async function examine(args: string[]): Promise<Finding[]> {
  let config: ServeOptions;
  try {
    config = readConfig(args, process.env);
    parsePlace(config.databaseUrl);
  } catch (error) {
    // A mistyped flag of this very command is no finding.
    if (error instanceof OperatorError && error.message.endsWith('--help')) throw error;
    return [problemOf('configuration', error)];
  }
  const now = Date.now();
  const place = parsePlace(config.databaseUrl);
  const store: StoreReport =
    'path' in place ? checkEmbeddedStore(place.path, now) : await checkPostgres(place.address);
  return [
    ok('configuration', 'Every setting has a valid value.'),
    ...(await checkListening(config)),
    ...checkTls(config, now),
    ...store.findings,
    ...('path' in place ? checkDisk(place.path) : []),
    ...checkClock(now, store.clock),
    ...checkKeys(config, store),
  ];
}

/** Random letters and digits of this length have 95 bits. */
const shortestSafeKey = 16;

function checkKeys(
  { apiKeys }: ServeOptions,
  { usableKeyCount, makesFirstKey, findings }: StoreReport,
): Finding[] {
  // A store that cannot be read has been reported already.
  if (findings.some(({ state }) => state === 'problem')) return [];
  if (apiKeys.some((key) => key.length < shortestSafeKey)) {
    return [
      warning(
        'keys',
        'A key in API_KEYS is so short that it can be guessed.',
        'Use a key of the store instead: petstore keys create --name NAME.',
      ),
    ];
  }
  const count = apiKeys.length + usableKeyCount;
  if (count > 0) return [ok('keys', `${count} API ${count === 1 ? 'key' : 'keys'} can be used.`)];
  if (makesFirstKey) return [ok('keys', 'There is no API key yet; the first start makes one.')];
  return [
    warning(
      'keys',
      'No API key can be used, so every call is refused.',
      'Run petstore keys create --name NAME.',
    ),
  ];
}

const marks = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' };

function asText(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.map(({ check, state, message, remedy }) => {
    const indent = ' '.repeat(marks.ok.length + width + 4);
    const advice = remedy ? `\n${indent}${visible(remedy)}` : '';
    return `${marks[state]}  ${check.padEnd(width)}  ${visible(message)}${advice}\n`;
  });
  const count = (wanted: Finding['state']) => findings.filter(({ state }) => state === wanted).length;
  const summary =
    count('problem') > 0
      ? `Problems: ${count('problem')}. Warnings: ${count('warning')}.`
      : count('warning') > 0
        ? `The service can run. Warnings: ${count('warning')}.`
        : 'All is well.';
  return `${lines.join('')}\n${summary}\n`;
}
