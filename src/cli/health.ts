import type { Command } from 'commander';
import { OperatorError } from '../domain/error.ts';
import { addressOf, urlSetting } from './service/connect.ts';
import { addExamples } from './terminal/help.ts';
import { print } from './terminal/output.ts';

const timeoutMs = 5000;

export function define(command: Command): void {
  command
    .description(
      'Ask a running service whether it is ready (/readyz), as the health check of a container does. The exit status ' +
        'is 0 if it is, otherwise 1.',
    )
    .addOption(urlSetting)
    .action(health);
  addExamples(command, 'petstore health', 'petstore health --url http://127.0.0.1:3000');
}

async function health(options: { url: string }): Promise<void> {
  const address = new URL('/readyz', addressOf(options)).href;
  const status = await statusOf(address);
  if (status !== 200) {
    throw new OperatorError(`${address} responds with ${status}.`, 'The log of the service says why.');
  }
  print('ready\n');
}

async function statusOf(address: string): Promise<number> {
  try {
    const { status } = await fetch(address, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'manual',
      // The certificate names a public host, not this address; and nothing secret is sent.
      tls: { rejectUnauthorized: false },
    });
    return status;
  } catch {
    throw new OperatorError(`Nothing responds at ${address}.`, 'Start the service, or check HOST and PORT.');
  }
}
