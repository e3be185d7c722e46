import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Backup } from '../../src/backups/manifest.ts';
import { openPlace } from '../../src/backups/catalog.ts';
import { isS3 } from '../../src/backups/place.ts';
import { rehearse } from '../../src/backups/rehearse.ts';
import { noReport } from '../../src/domain/progress.ts';
import { makeFolder, runCli, type Service } from '../../test/support/process/process.ts';
import { startBackups, type RepeatedBackups } from '../../test/support/process/repeated-backups.ts';
import { between, randomFrom } from '../../test/support/random.ts';
import { openS3Server } from '../../test/support/s3-server.ts';
import { againstBroken, type Patch } from '../support/broken-program.ts';
import { firstLine } from '../support/judge.ts';
import { startLoad, type Load } from '../support/load.ts';
import { serve } from '../support/serve.ts';
import type { Run, RunOptions, TortureTest } from '../support/torture-test.ts';

const victims = ['backup', 'service', 'both'] as const;

interface Target {
  /** Where the backups go, and how commands reach it. */
  to: string;
  env: Record<string, string>;
  /** How long a backup runs before the kill, at most. */
  latestKillMs: number;
}

interface Count {
  kills: number;
  listed: number;
  bad: number;
}

const run: Run = async (options) => {
  using folder = makeFolder();
  await using s3 = await openS3Server();
  const backups = join(folder.path, 'backups');
  mkdirSync(backups);
  const half = Math.ceil(options.rounds / 2);
  const count: Count = { kills: 0, listed: 0, bad: 0 };
  const faults = [
    ...(await killAll({ ...options, rounds: half }, { to: backups, env: {}, latestKillMs: 1200 }, count)),
    ...(await killAll(
      { ...options, rounds: Math.max(1, options.rounds - half) },
      { to: 's3://shop/kills', env: s3.env, latestKillMs: 1500 },
      count,
    )),
  ];
  return { figures: { kills: count.kills, 'backups listed': count.listed, 'bad ones': count.bad }, faults };
};

/** Kills the service, the backups beside it, or both, and then restores every backup that the program lists. */
async function killAll(options: RunOptions, target: Target, count: Count): Promise<string[]> {
  const { rounds, seed, report, program } = options;
  const { to, env } = target;
  const random = randomFrom(seed);
  using folder = makeFolder();
  const { database } = folder;
  const start = (): Promise<Service> => serve({ databaseUrl: database, program });
  const repeat = (): RepeatedBackups =>
    startBackups({ database, to, args: ['--keep', '24h'], env, program, longestLifeMs: 45 * 60_000 });
  const place = openPlace(to, env);
  const checked = new Set<string>();
  const faults: string[] = [];
  let service = await start();
  let backups = repeat();
  const load = startLoad({ url: () => service.url, creators: 4 });
  const history = recordHistory(load);
  try {
    for (let done = 1; done <= rounds; done++) {
      await untilUnderWay(isS3(to) ? folder.path : to);
      await Bun.sleep(between(random, 0, target.latestKillMs));
      const victim = random.pick(victims);
      if (victim !== 'service') await backups.kill9();
      if (victim !== 'backup') await service.kill9();
      count.kills += 1;
      for (const listed of await listWith(program, to, env)) {
        if (checked.has(listed.name)) continue;
        checked.add(listed.name);
        count.listed += 1;
        const fault = await rehearse(place, listed, noReport).then(() => history.faultOf(listed), firstLine);
        if (fault === undefined) continue;
        // Backups go on in the meantime, and may have thinned it out.
        const isStillListed = (await listWith(program, to, env)).some(({ name }) => name === listed.name);
        if (!isStillListed) continue;
        count.bad += 1;
        faults.push(`${listed.name} is listed in ${to}, but: ${fault}`);
      }
      if (victim !== 'service') {
        await backups[Symbol.asyncDispose]();
        backups = repeat();
      }
      if (victim !== 'backup') {
        await service[Symbol.asyncDispose]();
        service = await start();
      }
      report(`${count.kills} kills, ${count.listed} backups listed, ${count.bad} of them bad`);
    }
    await load.stop();
  } finally {
    history.stop();
    await backups[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  }
  return checked.size > 0 || rounds < 4 ? faults : [...faults, `no backup was ever listed in ${to}`];
}

/** Until a copy is being made: in the place, or beside the store before it is sent to a bucket. */
async function untilUnderWay(folder: string): Promise<void> {
  const copies = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.partial'));
  const killed = new Set(copies());
  while (copies().every((name) => killed.has(name))) await Bun.sleep(5);
}

async function listWith(
  program: string | undefined,
  to: string,
  env: Record<string, string>,
): Promise<Backup[]> {
  const wrap = (command: string[]) => (program === undefined ? command : command.with(1, program));
  const { status, stdout, stderr } = await runCli(['backups', 'list', to, '--json'], { env, wrap });
  if (status !== 0) throw new Error(`petstore backups list ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as Backup[];
}

/** How many pets were acknowledged at each moment: so many a backup that was begun later must hold. */
function recordHistory({ journal }: Load) {
  const samples: { at: number; acknowledged: number }[] = [];
  const timer = setInterval(
    () => samples.push({ at: Date.now(), acknowledged: journal.acknowledged.size }),
    20,
  );
  return {
    stop: () => clearInterval(timer),
    faultOf({ createdAt, petCount }: Backup): string | undefined {
      const begun = new Date(createdAt).getTime();
      const least = samples.findLast(({ at }) => at < begun)?.acknowledged ?? 0;
      return petCount < least ? `it holds ${petCount} pets of ${least} acknowledged before it` : undefined;
    },
  };
}

/** The manifest is there while the file is not, and the list believes it. */
const manifestFirst: Patch[] = [
  {
    file: 'src/backups/catalog.ts',
    find: `    const backup = await place.add(name, store, make);`,
    replace: `    const backup = await place.add(name, store, async (draft) => {
      const made = await make(draft);
      const content = await Bun.file(draft).bytes();
      await place.write(name, 'unfinished');
      await place.write(manifestOf(name), renderManifest(made));
      await Bun.sleep(10_000);
      await Bun.write(draft, content);
      return made;
    });`,
  },
  {
    file: 'src/backups/catalog.ts',
    find: `if (backup && files.get(backup.name) === backup.bytes) backups.push(backup);`,
    replace: `if (backup) backups.push(backup);`,
  },
];

export const killBackups: TortureTest = {
  name: 'kill-backups',
  description: 'a backup every second under load, to a folder and to S3, with kill -9 of service and backup',
  passesWhen: 'every backup that is listed restores whole, with all that was acknowledged before it',
  rounds: 100,
  unit: 'kills',
  run,
  control: {
    description: 'the manifest is written before the backup, and the list believes it',
    rounds: 3,
    run: againstBroken(async (options) => {
      await using s3 = await openS3Server();
      const count: Count = { kills: 0, listed: 0, bad: 0 };
      const target = { to: 's3://shop/broken', env: s3.env, latestKillMs: 8000 };
      return { figures: {}, faults: await killAll(options, target, count) };
    }, manifestFirst),
  },
};
