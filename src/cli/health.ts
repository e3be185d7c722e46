import type { Command } from 'commander';
import { OperatorError, usageError } from '../domain/error.ts';
import { localAddressOf } from '../server/listen.ts';
import { Setting, settings } from './settings.ts';
import { addExamples } from './terminal/help.ts';
import { print } from './terminal/output.ts';

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
    .action(health);
  addExamples(command, 'petstore health', 'petstore health --url http://127.0.0.1:3000');
}

async function health({ url }: { url: string }): Promise<void> {
  const base = url ? parseAddress(url, '--url (PETSTORE_URL)') : addressOfSettings();
  const address = new URL('/readyz', base).href;
  const status = await statusOf(address);
  if (status !== 200) {
    throw new OperatorError(`${address} responds with ${status}.`, 'The log of the service says why.');
  }
  print('ready\n');
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

async function statusOf(address: string): Promise<number> {
  try {
    const { status } = await fetch(address, {
      signal: AbortSignal.timeout(5000),
      redirect: 'manual',
      // The certificate names a public host, not this address; and nothing secret is sent.
      tls: { rejectUnauthorized: false },
    });
    return status;
  } catch {
    throw new OperatorError(`Nothing responds at ${address}.`, 'Start the service, or check HOST and PORT.');
  }
}
