import { chmodSync, lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { OperatorError } from '../domain/error.ts';
import { type Backup, listBackups, pickBackup, rehearse } from '../stores/backups/backups.ts';
import { openPlace } from '../stores/backups/places.ts';
import { attemptWrite, partialOf } from '../system/files.ts';
import { contentOf, countOf, print, renderTable } from './terminal/output.ts';
import { reportOnTerminal } from '../system/progress.ts';
import { addExamples, durationOption, s3Help } from './terminal/usage.ts';

const placeArgument = ['<place>', 'A folder or s3://bucket/prefix.'] as const;

export function define(backups: Command): void {
  backups
    .description('List the backups in a folder or bucket, rehearse a restore, or check that one is recent.')
    .addHelpText('after', s3Help);
  backups
    .command('list')
    .description('Show the backups, oldest first.')
    .argument(...placeArgument)
    .action(printList);
  backups
    .command('rehearse')
    .description(
      'Restore a backup, chosen at random, into a temporary store (below TMPDIR), read everything in it, and say how ' +
        'long it took.',
    )
    .argument(...placeArgument)
    .option('--latest', 'Take the newest backup.')
    .option(
      '--textfile <file>',
      'Also write the time of the rehearsal, or 0 if it failed, to a file (*.prom) for node_exporter.',
    )
    .action(runRehearsal);
  backups
    .command('check')
    .description('Exit with 1 if the newest backup is too old. For a timer, and for alerts.')
    .argument(...placeArgument)
    .addOption(durationOption('--max-age <time>', 'The newest backup may be this old (30m, 2h, 8d).', '2h'))
    .option(
      '--textfile <file>',
      'Also write the time of the newest backup, or 0 if it is too old, to a file (*.prom) for node_exporter.',
    )
    .action(runCheck);
  addExamples(
    backups,
    'petstore backups list /backups',
    'petstore backups rehearse s3://backups/petstore --latest',
    'petstore backups check /backups --max-age 2h',
  );
}

async function printList(name: string): Promise<void> {
  const backups = await listBackups(openPlace(name, process.env));
  if (backups.length === 0) print('There are no backups.\n');
  else print(renderTable([['NAME', 'CREATED (UTC)', 'BYTES'], ...backups.map(cellsOf)]));
}

function cellsOf({ name, createdAt, bytes }: Backup): string[] {
  return [name, createdAt.toISOString().slice(0, 19).replace('T', ' '), bytes.toLocaleString('en')];
}

async function runRehearsal(name: string, flags: { latest?: boolean; textfile?: string }): Promise<void> {
  const gauge = {
    name: 'petstore_backup_rehearsed_timestamp_seconds',
    help: 'When the last rehearsal of a restore was started; 0 if it failed.',
  };
  await recordTime(flags.textfile, gauge, async () => {
    const startedAt = new Date();
    const place = openPlace(name, process.env);
    const backup = await pickBackup(place, flags.latest ? 'newest' : 'random');
    const content = await rehearse(place, backup.name, reportOnTerminal());
    const seconds = ((Date.now() - startedAt.getTime()) / 1000).toFixed(1);
    const restored = contentOf(content, countOf(content.keyCount, 'key'));
    print(`Restored ${restored} from ${backup.name} in ${seconds} s. All are sound.\n`);
    return startedAt;
  });
}

async function runCheck(name: string, flags: { maxAge: number; textfile?: string }): Promise<void> {
  const gauge = {
    name: 'petstore_backup_newest_timestamp_seconds',
    help: 'When the newest backup was started; 0 if it is too old or unknown.',
  };
  await recordTime(flags.textfile, gauge, async () => {
    const { createdAt } = await pickBackup(openPlace(name, process.env), 'newest');
    const sentence = `The newest backup in ${name} was made at ${createdAt.toISOString()}.`;
    // A clock that was ahead made a backup that would stay the newest.
    if (Math.abs(Date.now() - createdAt.getTime()) > flags.maxAge)
      throw new OperatorError(
        sentence,
        'If that is in the future, correct the clock, and move this backup away. Otherwise, this says why there is no newer one: petstore backup',
      );
    print(`${sentence}\n`);
    return createdAt;
  });
}

/** Writes the time that the work returns, or 0 if it fails, for node_exporter's textfile collector. */
async function recordTime(
  file: string | undefined,
  { name, help }: { name: string; help: string },
  work: () => Promise<Date>,
): Promise<void> {
  let seconds = 0;
  try {
    seconds = Math.floor((await work()).getTime() / 1000);
  } finally {
    const text = `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${seconds}\n`;
    if (file !== undefined) attemptWrite(file, () => replaceFile(file, text));
  }
}

/** The collector runs as another user, and must never see a partial file. */
function replaceFile(path: string, text: string): void {
  // As root, a rename would replace even /dev/null.
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new Error('it is not a file');
  const partial = partialOf(path);
  try {
    writeFileSync(partial, text);
    chmodSync(partial, 0o644);
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
}
