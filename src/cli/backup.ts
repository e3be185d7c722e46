import type { Command } from 'commander';
import { backUpSqlite } from '../sqlite/backups/backup.ts';
import { embeddedPath } from '../stores.ts';
import { settings } from './settings.ts';
import { addExamples } from './terminal/help.ts';
import { contentOf, print } from './terminal/output.ts';
import { reportOnTerminal } from './terminal/progress.ts';

export function define(command: Command): void {
  command
    .description(
      'Copy an embedded store to one file and read every pet and order of the copy back. Services may keep using the store; ' +
        'every write acknowledged before the backup is in it. For PostgreSQL, use pg_dump.',
    )
    .argument('<file>', 'The backup to write.')
    .addOption(settings.databaseUrl)
    .action(backup);
  addExamples(command, 'petstore backup /backups/petstore-$(date +%F).db');
}

function backup(file: string, { databaseUrl }: { databaseUrl: string }): void {
  const content = backUpSqlite(embeddedPath(databaseUrl), file, reportOnTerminal());
  print(`Backed up ${contentOf(content)} to ${file}, and read it back.\n`);
}
