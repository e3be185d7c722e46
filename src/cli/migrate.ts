import { Option, type Command } from 'commander';
import { olderVersion, type Migration } from '../domain/migration.ts';
import { migrateBack, openStores, storeOf } from '../stores.ts';
import { audited, auditHelp, storeOptions } from './audit.ts';
import { settings } from './settings.ts';
import { addExamples } from './terminal/help.ts';
import { print } from './terminal/output.ts';

export function define(command: Command): void {
  command
    .description(
      "Bring a store's schema up to date and do nothing else. The service does the same when it starts; use this if " +
        "the service's database role may not change the schema. An embedded store is copied first, so that you can go " +
        'back: to petstore.db.schema-5 if its schema has version 5. Back a PostgreSQL database up yourself.',
    )
    .addOption(
      new Option(
        '--to <version>',
        'Go back to the schema of 1.1.0, with everything written since. Stop every service first.',
      ).choices([String(olderVersion)]),
    )
    .option('--no-copy', 'Do not copy the store first: you have a backup, or no room.')
    .addOption(settings.databaseUrl)
    .addHelpText('after', auditHelp)
    .action(migrate);
  addExamples(
    command,
    'petstore migrate --database-url postgres://owner@db.example/shop',
    'petstore migrate --to 5',
  );
}

interface MigrateOptions {
  databaseUrl: string;
  copy: boolean;
  to?: string;
}

async function migrate({ databaseUrl, copy: keepsOlder, to }: MigrateOptions): Promise<void> {
  let migration: Migration | undefined;
  const bringUpToDate = async (): Promise<void> => {
    const onMigrated = (done: Migration): void => void (migration = done);
    const options = { ...storeOptions(databaseUrl), keepsOlder, onMigrated };
    if (to === undefined) await (await openStores(databaseUrl, options)).close();
    else migration = await migrateBack(databaseUrl, options);
  };
  await audited('migrate', databaseUrl, {}, bringUpToDate, () => ({ ...migration }));
  const { from, keptAs } = migration ?? {};
  if (keptAs !== undefined) {
    print(`The store as it was, with schema version ${from}, is kept as ${keptAs}.\n`);
  }
  const state = to === undefined ? 'is up to date' : `has version ${to}`;
  print(`The schema of ${storeOf(databaseUrl)} ${state}.\n`);
}
