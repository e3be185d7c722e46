import type { Command } from 'commander';
import { OperatorError, usageError } from '../domain/error.ts';
import { askLocally, localAddressOf } from '../server/addresses.ts';
import { checkAddress, Setting, settings } from './settings.ts';
import { addExamples } from './terminal/help.ts';
import { print } from './terminal/output.ts';
import { durationOption } from './values.ts';

const askAgainMs = 200;
const form = 'an address such as http://127.0.0.1:8080';

export function define(command: Command): void {
  command
    .description(
      'Ask a running service whether it is ready (/readyz), as the health check of a container does. The exit status ' +
        'is 0 if it is, otherwise 1.',
    )
    .addOption(
      new Setting(
        'PETSTORE_URL',
        '<address>',
        '',
        'The service. Default: the one on this machine with the same HOST, PORT and TLS_CERT.',
        'url',
      ),
    )
    .addOption(
      new Setting('PORT', '<number>', '8080', 'Port of the service on this machine. Wins over PETSTORE_URL.'),
    )
    .addOption(durationOption('--wait <time>', 'Ask until it is ready, for this long (30s, 2m).', '0s'))
    .action(health);
  addExamples(command, 'petstore health', 'petstore health --wait 60s', 'petstore health --port 3000');
}

async function health(
  { url, port, wait }: { url: string; port: string; wait: number },
  command: Command,
): Promise<void> {
  const isGiven = (option: string): boolean => command.getOptionValueSource(option) === 'cli';
  const base =
    url && (isGiven('url') || !isGiven('port'))
      ? checkAddress('--url (PETSTORE_URL)', url, form)
      : addressOfSettings(port);
  const address = new URL('/readyz', base).href;
  const deadline = performance.now() + wait;
  let problem = await problemAt(address);
  while (problem && performance.now() < deadline && !hasServiceEnded()) {
    await Bun.sleep(askAgainMs);
    problem = await problemAt(address);
  }
  if (problem) throw problem;
  print('ready\n');
}

/** systemd names the process that it started. Once that has ended, waiting would only delay the next start. */
function hasServiceEnded(): boolean {
  const pid = Number(process.env['MAINPID']);
  try {
    return Number.isInteger(pid) && pid > 1 && !process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** The local address of a service with this environment's settings. */
function addressOfSettings(port: string): string {
  const [host = '', tlsCert] = [settings.host, settings.tlsCert].map(
    ({ variable, fallback }) => process.env[variable] || fallback,
  );
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) {
    throw usageError(`--port (PORT) must be an integer from 1 to 65535, not "${port}".`);
  }
  const address = localAddressOf({ host, tlsCert: tlsCert || undefined }, Number(port));
  return checkAddress('HOST and PORT', address, form);
}

async function problemAt(address: string): Promise<OperatorError | undefined> {
  const response = await askLocally(address, 5000);
  if (response?.status === 200) return undefined;
  if (!response)
    return new OperatorError(`Nothing responds at ${address}.`, 'Start the service, or check HOST and PORT.');
  return new OperatorError(
    `${address} responds with ${response.status}.`,
    'The log of the service says why.',
  );
}
