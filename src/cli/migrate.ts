import type { Command } from 'commander';
import { openStores } from '../stores.ts';
import { audited } from './audit.ts';
import { settings } from './settings.ts';
import { addExamples } from './terminal/help.ts';
import { print } from './terminal/output.ts';

export function define(command: Command): void {
  command
    .description(
      "Bring a store's schema up to date and do nothing else. The service does the same when it starts; use this if " +
        "the service's database role may not change the schema.",
    )
    .addOption(settings.databaseUrl)
    .action(migrate);
  addExamples(command, 'petstore migrate --database-url postgres://owner@db.example/shop');
}

async function migrate({ databaseUrl }: { databaseUrl: string }): Promise<void> {
  await audited('migrate', databaseUrl, async () => {
    const stores = await openStores(databaseUrl, { environment: process.env });
    await stores.close();
  });
  print('The schema is up to date.\n');
}
