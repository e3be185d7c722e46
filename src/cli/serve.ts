import type { Command } from 'commander';
import type { ServeOptions } from '../server/options.ts';
import { serve } from '../server/service.ts';
import { addServeOptions, readServeOptions } from './settings.ts';
import { addExamples } from './terminal/usage.ts';
import { openLog, printForOperator } from './terminal/output.ts';

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
  const log = openLog(options.logLevel);
  const showFirstKey = (key: string, address: string): Promise<void> =>
    printForOperator(renderFirstKey(key, address, options));
  await serve(options, { log, showFirstKey });
  // `bun --watch` keeps a program that has ended, and would serve again after the next change.
  process.exit(0);
}

function renderFirstKey(firstKey: string, address: string, { stableOnly }: ServeOptions): string {
  return `
The first API key of this store, shown only this once:

  ${firstKey}

Use it in ${stableOnly ? 'the docs' : 'the console and in the docs'}:

  ${stableOnly ? '' : `${address}\n  `}${address}/docs

Or call the API:

  curl -H 'Authorization: Bearer ${firstKey}' ${address}/v1/pets
  curl -H 'Authorization: Bearer ${firstKey}' -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1,"status":"available"}' ${address}/v1/pets
`;
}
