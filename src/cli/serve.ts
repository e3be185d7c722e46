import type { Command } from 'commander';
import { isLoopback } from '../server/listen.ts';
import { serveHere } from '../server/service.ts';
import { createServiceAudit } from './audit.ts';
import { addServeOptions, readServeOptions } from './settings.ts';
import { addExamples } from './terminal/help.ts';
import { openContext } from './terminal/output.ts';

export function define(command: Command): void {
  command
    .description(
      'Serve the API until SIGTERM, SIGINT or SIGHUP; with --tls-cert, SIGHUP reloads the certificate instead. ' +
        'Each option can also be set by its environment variable; the option wins.',
    )
    .addHelpText('after', serviceAuditHelp)
    .action(serve);
  addServeOptions(command);
  addExamples(
    command,
    'petstore serve',
    'petstore serve --port 3000 --database-url /var/lib/petstore/petstore.db',
    'petstore serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
  );
}

const serviceAuditHelp = `
A migration of the store and its first key are recorded, with the user, in the
file that AUDIT_LOG names; without it, in the log.`;

async function serve(texts: Record<string, string>): Promise<void> {
  const options = readServeOptions(texts);
  const context = openContext(options.logLevel);
  if (!options.tlsCert && !isLoopback(options.host)) {
    context.log.warn(
      'Keys and pets travel unencrypted. Put a TLS proxy in front, or use --tls-cert and --tls-key.',
      { host: options.host },
    );
  }
  const serveAll = options.workers > 1 ? (await import('../server/workers.ts')).superviseWorkers : serveHere;
  // Whatever the level of the other lines is.
  const audit = createServiceAudit(openContext('info').log, options.databaseUrl);
  const exitStatus = await serveAll(options, { ...context, audit });
  // `bun --watch` keeps a program that has ended, and would serve again after the next change.
  process.exit(exitStatus);
}
