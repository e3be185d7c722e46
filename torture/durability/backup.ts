import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, runCli } from '../../test/support/process/process.ts';
import { startBackups } from '../../test/support/process/repeated-backups.ts';
import { between, randomFrom } from '../../test/support/random.ts';
import { add, faultsOf, judgeFile, nothingYet, type Judgement } from '../support/judge.ts';
import { startLoad } from '../../test/support/journal.ts';
import { serve } from '../support/serve.ts';
import { succeed } from '../support/commands.ts';
import type { RunOptions, TortureTest } from '../support/torture-test.ts';

/** Makes a copy of the store while services use it. */
type MakeCopy = (database: string, file: string) => Promise<void>;

const withBackup: MakeCopy = async (database, file) => {
  await succeed(['backup', file, '--database-url', database]);
};

const backUpUnderLoad = async ({ rounds, seed, report }: RunOptions, makeCopy: MakeCopy) => {
  const random = randomFrom(seed);
  const faults: string[] = [];
  let total: Judgement = nothingYet;
  using folder = makeFolder();
  const place = join(folder.path, 'backups');
  mkdirSync(place);
  const listed = new Set<string>();
  await using service = await serve({ databaseUrl: folder.database });
  const load = startLoad({ url: () => service.url });
  for (let done = 1; done <= rounds; done++) {
    await load.untilAcknowledged(between(random, 50, 300));
    const acknowledgedBefore = new Map(load.journal.acknowledged);
    const file = join(folder.path, `backup-${done}.db`);
    await makeCopy(folder.database, file);
    await killBackup(folder.database, place, between(random, 0, 1500));
    const whole = (await list(place)).filter((name) => !listed.has(name));
    whole.forEach((name) => listed.add(name));
    for (const [index, copy] of [file, ...whole.map((name) => join(place, name))].entries()) {
      const restored = join(folder.path, `restored-${done}-${index}/petstore.db`);
      const { status, stderr } = await runCli(['restore', copy, '--database-url', restored]);
      if (status !== 0) {
        faults.push(`a backup cannot be restored: ${stderr}`);
        continue;
      }
      total = add(total, judgeFile(restored, load.journal, acknowledgedBefore));
    }
    report(`${done} backups and kills, ${listed.size} listed, ${total.lost} missing`);
  }
  await load.stop();
  await service.stop();
  return {
    figures: {
      'backups, and kills of another': rounds,
      'listed although the next one was killed': listed.size,
      'acknowledged before': total.acknowledged,
      missing: total.lost,
      doubled: total.doubled,
    },
    faults: [...faults, ...faultsOf(total)],
  };
};

/** Kills a backup to a folder of backups, in the middle of one or between two. */
async function killBackup(database: string, to: string, afterMs: number): Promise<void> {
  await using backups = startBackups({ database, to });
  await Bun.sleep(afterMs);
  await backups.stop('SIGKILL');
}

async function list(place: string): Promise<string[]> {
  const { stdout } = await runCli(['backups', 'list', place, '--json']);
  return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
}

export const backup: TortureTest = {
  name: 'backup',
  description:
    'petstore backup under full load, some killed with kill -9, then petstore restore of every copy',
  passesWhen: '0 acknowledged before the backup and missing after the restore; every listed backup restores',
  rounds: 20,
  unit: 'backups',
  run: (options) => backUpUnderLoad(options, withBackup),
  control: {
    description: 'the database file is copied without its log',
    rounds: 2,
    run: (options) => backUpUnderLoad(options, async (database, file) => cpSync(database, file)),
  },
};
