import type { Command } from 'commander';
import { restoreSqlite } from '../sqlite/backups/restore.ts';
import { embeddedPath } from '../stores.ts';
import { audited } from './audit.ts';
import { settings } from './settings.ts';
import { addExamples } from './terminal/help.ts';
import { contentOf, print } from './terminal/output.ts';
import { reportOnTerminal } from './terminal/progress.ts';

export function define(command: Command): void {
  command
    .description(
      'Replace an embedded store with a backup. Stop its services first. Everything is as it was when the backup was ' +
        'made, except that API keys revoked since then stay revoked. The replaced store is kept beside the new one.',
    )
    .argument('<file>', 'The backup to restore.')
    .option('--force', 'Replace a store that holds pets or orders, or is damaged.')
    .addOption(settings.databaseUrl)
    .action(restore);
  addExamples(
    command,
    'petstore restore /backups/petstore-monday.db',
    'petstore restore /backups/petstore-monday.db --force',
  );
}

async function restore(file: string, options: { databaseUrl: string; force?: boolean }): Promise<void> {
  const path = embeddedPath(options.databaseUrl);
  const { keepsRevocations, replacedPath, ...content } = await audited(
    'restore',
    options.databaseUrl,
    () => restoreSqlite({ file, name: path, isForced: options.force ?? false, report: reportOnTerminal() }),
    ({ petCount }) => ({ file, petCount }),
  );
  print(`Restored ${contentOf(content)} to ${path}.\n`);
  if (replacedPath !== undefined) {
    print(`The store that was there is kept as ${replacedPath}. Remove it when you no longer need it.\n`);
  }
  if (!keepsRevocations) {
    print(
      'Its API keys are those of the backup: one that was revoked later can be used again. See petstore keys list.\n',
    );
  }
}
