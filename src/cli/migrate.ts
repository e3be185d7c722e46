import type { Command } from 'commander';
import type { Migration } from '../stores/migration.ts';
import { storeAt } from '../stores/open.ts';
import { audited, auditHelp, storeOptions } from './audit.ts';
import { settings } from './settings.ts';
import { addExamples } from './terminal/usage.ts';
import { print } from './terminal/output.ts';

export function define(command: Command): void {
  command
    .description(
      "Bring a store's schema up to date and do nothing else. The service does the same when it starts; use this if " +
        "the service's database role may not change the schema. An embedded store is copied first, so that you can go " +
        'back: to petstore.db.schema-5 if its schema has version 5. Back a PostgreSQL database up yourself.',
    )
    .option('--no-copy', 'Do not copy the store first: you have a backup, or no room.')
    .addOption(settings.databaseUrl)
    .addHelpText('after', auditHelp)
    .action(migrate);
  addExamples(command, 'petstore migrate --database-url postgres://owner@db.example/shop');
}

interface MigrateFlags {
  databaseUrl: string;
  copy: boolean;
}

async function migrate({ databaseUrl, copy: keepsOlder }: MigrateFlags): Promise<void> {
  let migration: Migration | undefined;
  await audited('migrate', databaseUrl, {}, async (note) => {
    const onMigrated = (done: Migration): void => {
      migration = done;
      note({ ...done });
    };
    const store = await storeAt(databaseUrl).open({ ...storeOptions(databaseUrl), keepsOlder, onMigrated });
    await store.close();
  });
  const { from, keptAs } = migration ?? {};
  if (keptAs !== undefined) {
    print(`The store as it was, with schema version ${from}, is kept as ${keptAs}.\n`);
  }
  print(`The schema of ${storeAt(databaseUrl).name} is up to date.\n`);
}
