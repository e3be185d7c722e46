import type { Command } from 'commander';
import { OperatorError, usageError } from '../domain/error.ts';
import { localAddressOf } from '../server/listen.ts';
import { Setting, settings } from './settings.ts';
import { addExamples } from './terminal/help.ts';
import { print } from './terminal/output.ts';
import { durationOption } from './values.ts';

const askAgainMs = 200;

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
    .addOption(durationOption('--wait <time>', 'Ask until it is ready, for this long (30s, 2m).', '0s'))
    .action(health);
  addExamples(
    command,
    'petstore health',
    'petstore health --wait 60s',
    'petstore health --url http://127.0.0.1:3000',
  );
}

async function health({ url, wait }: { url: string; wait: number }): Promise<void> {
  const base = url ? parseAddress(url, '--url (PETSTORE_URL)') : addressOfSettings();
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

/** systemd names the process that it has started. Once that has ended, a wait would only delay its next start. */
function hasServiceEnded(): boolean {
  const pid = Number(process.env['MAINPID']);
  try {
    return Number.isInteger(pid) && pid > 1 && !process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** `name` says where the address was given. */
function parseAddress(url: string, name: string): string {
  const address = URL.parse(url);
  if (address?.username || address?.password) {
    throw usageError(`${name} must not contain a user name or a password.`);
  }
  if (address && /^https?:$/.test(address.protocol)) return address.href;
  throw usageError(`${name} must be an address such as http://127.0.0.1:8080, not "${url}".`);
}

/** Where a service with the settings of this environment is called on this machine. */
function addressOfSettings(): string {
  const [host = '', port = '', tlsCert] = [settings.host, settings.port, settings.tlsCert].map(
    ({ variable, fallback }) => process.env[variable] || fallback,
  );
  if (!/^[1-9]\d{0,4}$/.test(port)) {
    throw usageError(
      `PORT is "${port}", which does not tell the port of the service.`,
      'Name the address of the service with --url.',
    );
  }
  return parseAddress(localAddressOf({ host, tlsCert: tlsCert || undefined }, Number(port)), 'HOST and PORT');
}

async function problemAt(address: string): Promise<OperatorError | undefined> {
  try {
    const { status } = await fetch(address, {
      signal: AbortSignal.timeout(5000),
      redirect: 'manual',
      // The certificate names a public host, not this address; and nothing secret is sent.
      tls: { rejectUnauthorized: false },
    });
    if (status === 200) return undefined;
    return new OperatorError(`${address} responds with ${status}.`, 'The log of the service says why.');
  } catch {
    return new OperatorError(`Nothing responds at ${address}.`, 'Start the service, or check HOST and PORT.');
  }
}
