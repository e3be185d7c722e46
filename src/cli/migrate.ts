import type { Command } from 'commander';
import { storeAt } from '../stores/open.ts';
import { settings } from './settings.ts';
import { withStore } from './store.ts';
import { print } from './terminal/output.ts';
import { addExamples } from './terminal/usage.ts';

export function define(command: Command): void {
  command
    .description(
      "Make a store's tables if they are missing, and do nothing else. The service does the same when it starts; use " +
        "this if the service's database role may not create tables.",
    )
    .addOption(settings.databaseUrl)
    .action(migrate);
  addExamples(command, 'petstore migrate --database-url postgres://owner@localhost/pets');
}

async function migrate({ databaseUrl }: { databaseUrl: string }): Promise<void> {
  await withStore(
    databaseUrl,
    (location, options) => location.open(options),
    () => {},
  );
  print(`The tables of ${storeAt(databaseUrl).name} are in place.\n`);
}
