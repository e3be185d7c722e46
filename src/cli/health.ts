import type { Command } from 'commander';
import { OperatorError } from '../domain/error.ts';
import { askLocally, localAddressOf } from './service.ts';
import { servicePort, settings } from './settings.ts';
import { addExamples, durationOption } from './terminal/usage.ts';
import { print } from './terminal/output.ts';

const askAgainMs = 200;

export function define(command: Command): void {
  command
    .description(
      'Ask the service on this machine whether it is ready (/readyz), as the health check of a container does. The ' +
        'service is found by HOST, PORT and TLS_CERT. The exit status is 0 if it is ready, otherwise 1. A service whose ' +
        'writes fail still counts as ready; the output says so.',
    )
    .addOption(servicePort)
    .addOption(durationOption('--wait <time>', 'Ask until it is ready, for this long (30s, 2m).', '0s'))
    .action(health);
  addExamples(command, 'petstore health', 'petstore health --wait 60s', 'petstore health --port 3000');
}

async function health({ port, wait }: { port: string; wait: number }): Promise<void> {
  const host = process.env[settings.host.variable] || settings.host.fallback;
  const tlsCert = process.env[settings.tlsCert.variable] || undefined;
  const address = `${localAddressOf({ host, tlsCert }, servicePort.read(port))}/readyz`;
  const deadline = performance.now() + wait;
  let readiness = await readinessAt(address);
  while (readiness instanceof OperatorError && performance.now() < deadline && !hasServiceEnded()) {
    await Bun.sleep(askAgainMs);
    readiness = await readinessAt(address);
  }
  if (readiness instanceof OperatorError) throw readiness;
  print(
    readiness?.writes === undefined ? 'ready\n' : 'ready, but writes fail; the log of the service says why\n',
  );
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

/** The body of /readyz; `writes` is only there while they fail. */
interface Readiness {
  writes?: 'failing';
}

async function readinessAt(address: string): Promise<Readiness | null | OperatorError> {
  const response = await askLocally(address, 5000);
  // A program that is not ours may send anything.
  if (response?.status === 200) return response.json().catch(() => null) as Promise<Readiness | null>;
  if (!response)
    return new OperatorError(`Nothing responds at ${address}.`, 'Start the service, or check HOST and PORT.');
  return new OperatorError(
    `${address} responds with ${response.status}.`,
    'The log of the service says why.',
  );
}
