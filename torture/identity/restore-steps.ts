import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { cleanEnvironment, petstoreCommand } from '../../test/support/process/process.ts';
import { at, judgeExport, pickNamed } from './command-steps.ts';
import { hashOf } from './judge.ts';
import { restoredModel, type StoreModel } from './model.ts';
import { pickSoundBackup, type Step } from './operator-steps.ts';
import { removeStore } from './read-copy.ts';
import { Fault, type World } from './world.ts';

/** Any backup into any store, by force or not. */
export const restore: Step = async (world) => {
  const { name, store, source } = pickRevoked(world) ?? pickAny(world);
  if (!source) return undefined;
  const isForced = world.chance(0.6);
  const what = `restore of ${relative(world.pathOf('.'), source.path)} to ${name}${isForced ? ' by force' : ''}`;
  const before = store && hashOf(store.path);
  const args = ['restore', source.path, ...(isForced ? ['--force'] : []), ...at(world, name)];
  const { status, stdout, stderr } = await world.run(args);
  const refusal = reasonToRefuse(world, source, store, isForced);
  if (status !== 0) {
    // An unsure pet may be one that must not be replaced.
    const isExpected = refusal !== undefined || (!isForced && store !== undefined && store.unsure.size > 0);
    if (!isExpected) throw new Fault(`The ${what} was refused: ${stderr}`);
    world.count('restores refused');
    return `${what} was refused`;
  }
  // What was damaged may have been of no use: then all of it is in the store.
  if (refusal !== undefined && !source.isHarmed) throw new Fault(`The ${what} succeeded though ${refusal}`);
  const [, kept] = /kept as (\S+)\. /.exec(stdout) ?? [];
  replaceModel(world, { source, store, name, kept, before });
  world.count('restores');
  return what;
};

/** kill -9 at any moment leaves the one store or the other, whole, or a command says that it must be run again. */
export const killRestore: Step = async (world) => {
  const { name, store } = pickNamed(world);
  const source = pickSoundBackup(world);
  if (!store || !source || world.isServed(store)) return undefined;
  const { path } = store;
  const before = hashOf(path);
  const { ino } = statSync(path);
  const restoreAgain = ['restore', source.path, '--force', ...at(world, name)];
  const moment = await killInTheMiddle(world, restoreAgain, path);
  world.count('restores killed');
  if (!existsSync(path)) {
    const { status, stderr } = await world.run(['keys', 'list', ...at(world, name)]);
    if (status === 0 || !stderr.includes('run the restore again'))
      throw new Fault(`After a restore that was killed ${moment}, ${name} is gone, and nobody says so`);
    await world.run(restoreAgain);
    world.count('killed restores run again');
  }
  // A link that the operator has left may lead nowhere by now.
  const kept = namesOf(path, '.replaced-').find(
    (file) => statSync(file, { throwIfNoEntry: false })?.ino === ino,
  );
  const isDone = statSync(path).ino !== ino;
  for (const left of leftovers(path)) {
    rmSync(left, { recursive: true });
    world.count('files and folders left by killed restores');
  }
  if (isDone) replaceModel(world, { source, store, name, kept, before });
  else {
    // Second names of the same files.
    if (kept !== undefined) removeStore(kept);
    if (hashOf(path) !== before) throw new Fault(`A restore that was killed ${moment} has changed ${path}`);
  }
  await judgeExport(world, name, world.storeOf(name) ?? store);
  world.count(isDone ? 'killed restores finished' : 'killed restores without effect');
  return `restore to ${name} killed ${moment}: the ${isDone ? 'new' : 'old'} store`;
};

interface Choice {
  name: string;
  store: StoreModel | undefined;
  source: StoreModel | undefined;
}

/** Mostly a backup, now and then a hand copy or the store itself. */
function pickAny(world: World): Choice {
  const named = pickNamed(world);
  if (named.store && world.chance(0.05)) return { ...named, source: named.store };
  const copies = world.stopped().filter(({ path }) => path.includes('/copies/'));
  return { ...named, source: world.random.pick(world.chance(0.2) ? copies : [...world.backups]) };
}

/** Now and then, a backup in which a key is good that the store has revoked. */
function pickRevoked(world: World): Choice | undefined {
  if (!world.chance(0.4)) return undefined;
  const pairs = world
    .stopped()
    .flatMap((store) =>
      [...world.backups]
        .filter(({ keys }) =>
          [...store.keys].some(([text, key]) => key.isRevoked && keys.get(text)?.isRevoked === false),
        )
        .map((source) => ({ store, source })),
    );
  const pair = world.random.pick(pairs);
  return pair && { ...pair, name: world.nameOf(pair.store) };
}

function reasonToRefuse(
  world: World,
  source: StoreModel,
  store: StoreModel | undefined,
  isForced: boolean,
): string | undefined {
  if (source === store) return 'it is the store itself';
  if (source.isHarmed) return 'it is damaged';
  if (existsSync(`${source.path}-wal`) && statSync(`${source.path}-wal`).size > 0)
    return 'a log is beside it';
  if (world.isServed(store)) return 'the store is in use';
  if (!isForced && store?.isHarmed) return 'the store is damaged';
  if (!isForced && store && store.pets.size > 0) return 'the store holds pets';
  return undefined;
}

interface Replacement {
  source: StoreModel;
  store: StoreModel | undefined;
  name: string;
  /** Where the replaced store is. */
  kept: string | undefined;
  /** The hash of that. */
  before: string | undefined;
}

/** The name leads to the backup's content from now on; what was there is kept as it was. */
function replaceModel(world: World, { source, store, name, kept, before }: Replacement): void {
  const path = store?.path ?? world.follow(name);
  if (path === undefined || world.follow(name) !== path)
    throw new Fault(`After a restore, ${name} leads to ${world.follow(name)} and not to ${path}`);
  world.stores.add(restoredModel(source, store, path));
  if (!store) return;
  if (kept === undefined) throw new Fault(`A restore to ${name} has not kept the store that was there`);
  if (hashOf(kept) !== before) throw new Fault(`A restore to ${name} has changed the store that it has kept`);
  store.path = kept;
}

/** Returns when that was. */
async function killInTheMiddle(world: World, args: string[], path: string): Promise<string> {
  const child = Bun.spawn(world.command(petstoreCommand(args)), {
    env: cleanEnvironment(),
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  const sign = world.random.pick([
    '',
    '.locking-',
    '.restoring.partial',
    '.replaced-',
    '.restoring',
    'no store',
  ]);
  if (sign === '') await Bun.sleep(world.random.next() * 300);
  else {
    const isThere = sign === 'no store' ? () => !existsSync(path) : watchFor(path, sign);
    // Without a pause: the steps of a restore follow one another in less than a millisecond.
    while (!isThere() && isAlive(child.pid));
  }
  child.kill('SIGKILL');
  await child.exited;
  return sign === '' ? 'at some moment' : `when ${sign} was there`;
}

/** Tells when something new of this name is beside the store. */
function watchFor(path: string, sign: string): () => boolean {
  const folder = dirname(path);
  const matching = () => readdirSync(folder).filter((name) => name.startsWith(basename(path) + sign));
  const before = new Set(matching());
  return () => matching().some((name) => !before.has(name));
}

/** A child that has ended is a zombie until the event loop turns, which it does not here. */
function isAlive(pid: number): boolean {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return !text.slice(text.lastIndexOf(')')).startsWith(') Z');
}

function namesOf(path: string, infix: string): string[] {
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((name) => name.startsWith(basename(path) + infix) && !/-(?:wal|shm|journal)$/.test(name))
    .map((name) => join(folder, name));
}

/** What nobody has had the time to remove. */
function leftovers(path: string): string[] {
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((name) => /\.restoring(?:\.partial)?$|\.locking-/.test(name))
    .map((name) => join(folder, name));
}
