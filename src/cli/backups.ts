import type { Command } from 'commander';
import {
  type Backup,
  listBackups,
  openPlace,
  type Rehearsal,
  writeManifest,
} from '../stores/backups/catalog.ts';
import { findLastRehearsed } from '../stores/backups/keep.ts';
import { rehearse } from '../stores/backups/add-backup.ts';
import { OperatorError } from '../domain/error.ts';
import { attemptWrite, writeWhole } from '../system/files.ts';
import { addExamples, durationOption, s3Help } from './terminal/usage.ts';
import { contentOf, countOf, errorText, print, printJson, renderTable, warn } from './terminal/output.ts';
import { reportOnTerminal } from './terminal/progress.ts';

const place = ['<place>', 'A folder or s3://bucket/prefix.'] as const;

export function define(backups: Command): void {
  backups
    .description('List the backups in a folder or bucket, rehearse a restore, or check that both are recent.')
    .option('--json', 'Print JSON instead of text.')
    .addHelpText('after', s3Help);
  backups
    .command('list')
    .description('Show the backups that are whole, oldest first. Unfinished ones are not shown.')
    .argument(...place)
    .action((name: string, _options, command: Command) => printList(name, command.optsWithGlobals()));
  backups
    .command('rehearse')
    .description(
      'Restore a backup, chosen at random, into a temporary store (below TMPDIR); check every pet, order and key; ' +
        'say how long it took. The result is recorded in the place, beside the backup.',
    )
    .argument(...place)
    .option('--latest', 'Take the newest backup.')
    .action((name: string, _options, command: Command) => runRehearsal(name, command.optsWithGlobals()));
  backups
    .command('check')
    .description(
      'Look into the place, and exit with 1 if its newest backup is too old, or if the last rehearsal failed or is ' +
        'too old. For a timer, and for alerts.',
    )
    .argument(...place)
    .addOption(durationOption('--max-age <time>', 'The newest backup may be this old (30m, 2h, 8d).', '2h'))
    .addOption(
      durationOption('--max-rehearsal-age <time>', 'The last rehearsal may be this old (30m, 2h, 8d).', '8d'),
    )
    .option('--textfile <file>', 'Also write both times to a file (*.prom) for node_exporter.')
    .action((name: string, _options, command: Command) => runCheck(name, command.optsWithGlobals()));
  addExamples(
    backups,
    'petstore backups list /backups',
    'petstore backups rehearse s3://shop-backups/petstore --latest',
    'petstore backups check /backups --max-age 2h --max-rehearsal-age 8d',
  );
}

async function printList(name: string, { json }: { json?: boolean }): Promise<void> {
  const backups = await listBackups(openPlace(name, process.env), warn);
  if (json) printJson(backups);
  else if (backups.length === 0) print('There are no backups.\n');
  else print(renderTable([headings, ...backups.map(cellsOf)]));
}

async function runRehearsal(name: string, flags: { json?: boolean; latest?: boolean }): Promise<void> {
  const from = openPlace(name, process.env);
  const backups = await listBackups(from, warn);
  const backup = flags.latest ? backups.at(-1) : backups[Math.floor(Math.random() * backups.length)];
  if (!backup) {
    throw new OperatorError(`There are no backups in ${from.name}.`, 'Make one: petstore backup');
  }
  const at = new Date();
  const record = (result: Omit<Rehearsal, 'at'>) =>
    writeManifest(from, { ...backup, rehearsal: { at, ...result } });
  const tookMs = await rehearse(from, backup, reportOnTerminal()).catch(async (error: unknown) => {
    // If even this cannot be recorded, show the first problem.
    await record({ isSound: false, problem: errorText(error) }).catch(() => {});
    throw error;
  });
  const restoreMs = Math.round(tookMs);
  await record({ isSound: true, restoreMs });
  if (flags.json) return printJson({ ...backup, rehearsal: { at, isSound: true, restoreMs }, restoreMs });
  const content = contentOf(backup, countOf(backup.keyCount, 'key'));
  print(`Restored ${content} from ${backup.name} in ${(restoreMs / 1000).toFixed(1)} s. All are sound.\n`);
}

interface CheckFlags {
  maxAge: number;
  maxRehearsalAge: number;
  textfile?: string;
  json?: boolean;
}

async function runCheck(name: string, flags: CheckFlags): Promise<void> {
  const { maxAge, maxRehearsalAge, textfile, json } = flags;
  let backups: Backup[] = [];
  try {
    backups = await listBackups(openPlace(name, process.env), warn);
  } finally {
    // Write the file even if the place cannot be read: it must not keep its old figures.
    if (textfile !== undefined) writeTextfile(textfile, backups);
  }
  const [newest, lastRehearsed] = [backups.at(-1), findLastRehearsed(backups)];
  const problems = [problemOf(newest, maxAge), rehearsalProblemOf(lastRehearsed, maxRehearsalAge)];
  if (json) printJson({ newest, lastRehearsed });
  if (problems.some(Boolean)) throw new OperatorError([`${name}:`, ...problems].filter(Boolean).join(' '));
  if (!json) print(`${name} holds a recent backup, and a restore was rehearsed.\n`);
}

function problemOf(newest: Backup | undefined, maxAgeMs: number): string | undefined {
  if (!newest) return 'There is no whole backup.';
  const { createdAt } = newest;
  return isOlder(createdAt, maxAgeMs) ? `The newest backup is of ${createdAt.toISOString()}.` : undefined;
}

function rehearsalProblemOf(last: Backup | undefined, maxAgeMs: number): string | undefined {
  if (!last?.rehearsal) return 'No backup was rehearsed.';
  const { name, rehearsal } = last;
  if (!rehearsal.isSound) return `The rehearsal of ${name} failed: ${rehearsal.problem}`;
  const { at } = rehearsal;
  return isOlder(at, maxAgeMs) ? `The last rehearsal, of ${name}, was at ${at.toISOString()}.` : undefined;
}

function isOlder(time: Date, maxAgeMs: number): boolean {
  return Date.now() - time.getTime() > maxAgeMs;
}

/** For node_exporter's textfile collector, which must never see a partial file and runs as another user. */
function writeTextfile(path: string, backups: Backup[]): void {
  const rehearsal = findLastRehearsed(backups)?.rehearsal;
  const text =
    gauge('newest', 'When the newest backup was started; 0 if none is known.', backups.at(-1)?.createdAt) +
    gauge(
      'rehearsed',
      'When the last rehearsal of a restore was started; 0 if none is known or it failed.',
      rehearsal?.isSound ? rehearsal.at : undefined,
    );
  attemptWrite(path, () => writeWhole(path, text, 0o644));
}

function gauge(what: string, help: string, time: Date | undefined): string {
  const name = `petstore_backup_${what}_timestamp_seconds`;
  const seconds = Math.floor((time?.getTime() ?? 0) / 1000);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${seconds}\n`;
}

const headings = ['NAME', 'CREATED (UTC)', 'PETS', 'ORDERS', 'KEYS', 'BYTES', 'REHEARSED (UTC)'];

function cellsOf({ name, createdAt, petCount, orderCount, keyCount, bytes, rehearsal }: Backup): string[] {
  const counts = [petCount, orderCount, keyCount, bytes].map((count) => count.toLocaleString('en'));
  const rehearsed = rehearsal ? `${timeText(rehearsal.at)}${rehearsal.isSound ? '' : ', failed'}` : '';
  return [name, timeText(createdAt), ...counts, rehearsed];
}

function timeText(time: Date): string {
  return time.toISOString().slice(0, 19).replace('T', ' ');
}
