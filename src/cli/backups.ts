import type { Command } from 'commander';
import { type Backup, listBackups, rehearse } from '../stores/backups/backups.ts';
import { openPlace } from '../stores/backups/places.ts';
import { OperatorError } from '../domain/error.ts';
import { attemptWrite, writeWhole } from '../system/files.ts';
import { addExamples, durationOption, s3Help } from './terminal/usage.ts';
import { contentOf, countOf, print, printJson, renderTable, warn } from './terminal/output.ts';
import { reportOnTerminal } from './terminal/progress.ts';

const place = ['<place>', 'A folder or s3://bucket/prefix.'] as const;

export function define(backups: Command): void {
  backups
    .description('List the backups in a folder or bucket, rehearse a restore, or check that one is recent.')
    .addHelpText('after', s3Help);
  backups
    .command('list')
    .description('Show the backups, oldest first.')
    .argument(...place)
    .option('--json', 'Print JSON instead of text.')
    .action(printList);
  backups
    .command('rehearse')
    .description(
      'Restore a backup, chosen at random, into a temporary store (below TMPDIR), read everything in it, and say how ' +
        'long it took.',
    )
    .argument(...place)
    .option('--latest', 'Take the newest backup.')
    .option(
      '--textfile <file>',
      'Also write the time of the rehearsal, or 0 if it failed, to a file (*.prom) for node_exporter.',
    )
    .action(runRehearsal);
  backups
    .command('check')
    .description('Exit with 1 if the newest backup is too old. For a timer, and for alerts.')
    .argument(...place)
    .addOption(durationOption('--max-age <time>', 'The newest backup may be this old (30m, 2h, 8d).', '2h'))
    .option(
      '--textfile <file>',
      'Also write the time of the newest backup, or 0 if none is known, to a file (*.prom) for node_exporter.',
    )
    .action(runCheck);
  addExamples(
    backups,
    'petstore backups list /backups',
    'petstore backups rehearse s3://shop-backups/petstore --latest',
    'petstore backups check /backups --max-age 2h',
  );
}

async function printList(name: string, { json }: { json?: boolean }): Promise<void> {
  const backups = await listBackups(openPlace(name, process.env), warn);
  if (json) printJson(backups);
  else if (backups.length === 0) print('There are no backups.\n');
  else print(renderTable([['NAME', 'CREATED (UTC)', 'BYTES'], ...backups.map(cellsOf)]));
}

function cellsOf({ name, createdAt, bytes }: Backup): string[] {
  return [name, createdAt.toISOString().slice(0, 19).replace('T', ' '), bytes.toLocaleString('en')];
}

async function runRehearsal(name: string, flags: { latest?: boolean; textfile?: string }): Promise<void> {
  const startedAt = new Date();
  await recordTime(flags.textfile, rehearsed, async () => {
    const from = openPlace(name, process.env);
    const backups = await listBackups(from, warn);
    const backup = flags.latest ? backups.at(-1) : backups[Math.floor(Math.random() * backups.length)];
    if (!backup) throw new OperatorError(`There are no backups in ${name}.`, 'Make one: petstore backup');
    const { content, durationMs } = await rehearse(from, backup.name, reportOnTerminal());
    const restored = contentOf(content, countOf(content.keyCount, 'key'));
    print(
      `Restored ${restored} from ${backup.name} in ${(durationMs / 1000).toFixed(1)} s. All are sound.\n`,
    );
    return startedAt;
  });
}

async function runCheck(
  name: string,
  { maxAge, textfile }: { maxAge: number; textfile?: string },
): Promise<void> {
  let newest: Backup | undefined;
  await recordTime(textfile, newestBackup, async () => {
    newest = (await listBackups(openPlace(name, process.env), warn)).at(-1);
    return newest?.createdAt;
  });
  if (!newest) throw new OperatorError(`There are no backups in ${name}.`, 'Make one: petstore backup');
  const { createdAt } = newest;
  if (Date.now() - createdAt.getTime() > maxAge)
    throw new OperatorError(
      `The newest backup in ${name} is of ${createdAt.toISOString()}.`,
      'Look for why there is no newer one: petstore backup',
    );
  print(`The newest backup in ${name} is of ${createdAt.toISOString()}.\n`);
}

interface Gauge {
  name: string;
  help: string;
}

const newestBackup = {
  name: 'petstore_backup_newest_timestamp_seconds',
  help: 'When the newest backup was started; 0 if none is known.',
};
const rehearsed = {
  name: 'petstore_backup_rehearsed_timestamp_seconds',
  help: 'When the last rehearsal of a restore was started; 0 if it failed.',
};

/** Writes the time that the work returns, or 0 if it fails, for node_exporter's textfile collector. */
async function recordTime(
  file: string | undefined,
  { name, help }: Gauge,
  work: () => Promise<Date | undefined>,
): Promise<void> {
  let time: Date | undefined;
  try {
    time = await work();
  } finally {
    const seconds = Math.floor((time?.getTime() ?? 0) / 1000);
    const text = `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${seconds}\n`;
    // The collector must never see a partial file, and runs as another user.
    if (file !== undefined) attemptWrite(file, () => writeWhole(file, text, 0o644));
  }
}
