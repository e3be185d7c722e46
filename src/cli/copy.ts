import type { Command } from 'commander';
import { copyStore, type StoreTables } from '../stores/copy.ts';
import { storeAt } from '../stores/open.ts';
import { withStore } from './store.ts';
import { addExamples } from './terminal/usage.ts';
import { print } from './terminal/output.ts';
import { reportOnTerminal } from '../system/progress.ts';

export function define(command: Command): void {
  command
    .description(
      'Copy a whole store: pets and orders with their ids, categories, API keys and idempotency keys. Stop the services ' +
        'of both stores first. If the copy is interrupted, empty the target and run the same command again.',
    )
    .requiredOption('--from <address>', 'The store to read. It is not changed.')
    .requiredOption('--to <address>', 'The store to write: new or empty.')
    .action(copy);
  addExamples(
    command,
    'petstore copy --from data/petstore.db --to postgres://petstore@localhost/pets',
    'petstore copy --from postgres://petstore@localhost/pets --to data/petstore.db',
  );
}

async function copy({ from, to }: Record<'from' | 'to', string>): Promise<void> {
  const counts = await withTables(from, false, (source) =>
    withTables(to, true, (target) => copyStore(source, target, reportOnTerminal())),
  );
  print(`Copied ${counts} from ${storeAt(from).name} to ${storeAt(to).name}.\n`);
}

function withTables<Result>(
  databaseUrl: string,
  mayCreate: boolean,
  use: (tables: StoreTables) => Promise<Result>,
): Promise<Result> {
  return withStore(databaseUrl, (location, options) => location.openTables({ ...options, mayCreate }), use);
}
