import type { Command } from 'commander';
import { isLoopback } from '../server/listener.ts';
import { serve } from '../server/service.ts';
import { addServeOptions, readServeOptions, shortKeyWarning } from './settings.ts';
import { addExamples } from './terminal/usage.ts';
import { openContext } from './terminal/output.ts';

export function define(command: Command): void {
  command
    .description(
      'Serve the API until SIGTERM or SIGINT. Each option can also be set by its environment variable; the option wins.',
    )
    .action(run);
  addServeOptions(command);
  addExamples(
    command,
    'petstore serve',
    'petstore serve --port 3000 --database-url /var/lib/petstore/petstore.db',
    'petstore serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
  );
}

async function run(texts: Record<string, string>): Promise<void> {
  const options = readServeOptions(texts);
  const context = openContext(options.logLevel);
  if (!options.tlsCert && !isLoopback(options.host)) {
    context.log.warn(
      'Keys and pets travel unencrypted. Put a TLS proxy in front, or use --tls-cert and --tls-key.',
      { host: options.host },
    );
  }
  const shortKey = shortKeyWarning(options);
  if (shortKey) context.log.warn(shortKey.join(' '));
  await serve(options, context);
  // `bun --watch` keeps a program that has ended, and would serve again after the next change.
  process.exit(0);
}
