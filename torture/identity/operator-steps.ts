import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { copyByHand } from '../../test/support/crashed-store.ts';
import { cutFile } from '../durability/harm.ts';
import { forgetJudgement } from './judge.ts';
import { cloneModel, shrinkTo, type StoreModel } from './model.ts';
import { readCopy, removeStore } from './read-copy.ts';
import { Fault, fixedNames, type World } from './world.ts';

/** What an operator does to the files of stores that nobody uses. Undefined when there is nothing to do it to. */
export type Step = (world: World) => string | undefined | Promise<string | undefined>;

/** `mv` to another folder, with a link left behind. Side files that hold nothing may stay where they were. */
export const moveStopped: Step = (world) => {
  // Mostly one that has a name of its own: what stays behind lies beside the link then.
  const named = world.stopped().filter(({ path }) => fixedNames.some((name) => world.pathOf(name) === path));
  const store = (world.chance(0.7) ? world.random.pick(named) : undefined) ?? pickStopped(world);
  if (!store) return undefined;
  const from = store.path;
  const to = newPlace(world);
  const isLogEmpty = sizeOf(`${from}-wal`) === 0;
  renameSync(from, to);
  if (!isLogEmpty) renameSync(`${from}-wal`, `${to}-wal`);
  const movesMemory = world.chance(0.3) && existsSync(`${from}-shm`);
  if (movesMemory) renameSync(`${from}-shm`, `${to}-shm`);
  if (world.chance(0.8)) symlinkSync(to, from);
  forgetJudgement(store);
  store.path = to;
  return `moved ${from} to ${to}${movesMemory ? ' with its shared memory' : ''}`;
};

/** What is only in the log is lost with it, by the operator's hand. */
export const removeSideFile: Step = (world) => {
  const store = pickStopped(world);
  if (!store || store.isHarmed) return undefined;
  const suffix = world.chance(0.6) ? '-shm' : '-wal';
  rmSync(store.path + suffix, { force: true });
  forgetJudgement(store);
  if (suffix === '-wal') accept(world, store);
  return `removed ${store.path}${suffix}`;
};

export const copyStore: Step = (world) => {
  const store = pickStopped(world);
  if (!store || store.isHarmed) return undefined;
  const suffixes = world.random.pick([[''], ['', '-wal'], ['', '-wal', '-shm']]);
  const to = world.pathOf(`copies/copy-${world.nextNumber()}.db`);
  copyByHand(store.path, to, suffixes);
  const copy = cloneModel(store, to);
  world.stores.add(copy);
  if (suffixes.length === 1) accept(world, copy);
  return `copied ${store.path} to ${to} (${suffixes.length} files)`;
};

/** A backup over the file alone. Whoever looks changes nothing, so the backup is whole once the log is gone. */
export const copyOverLog: Step = async (world) => {
  const store = pickStopped(world);
  const backup = pickSoundBackup(world);
  if (!store || !backup || sizeOf(`${store.path}-wal`) === 0) return undefined;
  const name = world.nameOf(store);
  copyFileSync(backup.path, store.path);
  const at = ['--database-url', world.pathOf(name)];
  for (const command of [['doctor'], ['export'], ['backup', world.pathOf('backups/mixed.db')]]) {
    await world.run([...command, ...at], { looksOnly: true, makes: 'backups/mixed.db' });
  }
  rmSync(world.pathOf('backups/mixed.db'), { force: true });
  for (const suffix of ['-wal', '-shm']) rmSync(store.path + suffix, { force: true });
  world.stores.delete(store);
  world.stores.add({ ...cloneModel(backup, store.path), isHarmed: false });
  return `copied a backup over ${store.path} beside its log`;
};

/** A log without its file is refused, and stays as it is until the file is back. */
export const hideFile: Step = async (world) => {
  const store = world.random.pick(world.stopped().filter((stopped) => !stopped.isHarmed && hasLog(stopped)));
  if (!store) return undefined;
  const name = world.nameOf(store);
  const hidden = newPlace(world);
  renameSync(store.path, hidden);
  const { status } = await world.run([
    'keys',
    'create',
    '--name',
    'late',
    '--database-url',
    world.pathOf(name),
  ]);
  if (status === 0) throw new Fault(`A new store was made beside the log of ${store.path}`);
  renameSync(hidden, store.path);
  return `hid the file of ${name} from a command`;
};

export const harmStore: Step = (world) => {
  const sound = world.stopped().filter(({ isHarmed, pets }) => !isHarmed && pets.size > 0);
  const store = world.random.pick(sound);
  if (!store) return undefined;
  cutFile.apply(store.path, world.random);
  store.isHarmed = true;
  forgetJudgement(store);
  world.count('stores damaged');
  return `damaged ${store.path}`;
};

function hasLog({ path }: StoreModel): boolean {
  return sizeOf(`${path}-wal`) > 32;
}

export const harmBackup: Step = (world) => {
  const backup = pickSoundBackup(world);
  if (!backup || world.backups.size < 2) return undefined;
  cutFile.apply(backup.path, world.random);
  backup.isHarmed = true;
  forgetJudgement(backup);
  world.count('backups damaged');
  return `damaged ${backup.path}`;
};

export function pickStopped(world: World): StoreModel | undefined {
  return world.random.pick(world.stopped());
}

export function pickSoundBackup(world: World): StoreModel | undefined {
  return world.random.pick([...world.backups].filter(({ isHarmed }) => !isHarmed));
}

/** A path where nothing is, in a folder of its own. */
export function newPlace(world: World): string {
  const folder = world.pathOf(`place-${world.nextNumber()}`);
  mkdirSync(folder);
  return join(folder, 'store.db');
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Takes what is left of a store for what it holds; one that is not sound any more is thrown away. */
function accept(world: World, store: StoreModel): void {
  const found = readCopy(store.path);
  if (!found) {
    removeStore(store.path);
    world.stores.delete(store);
    return;
  }
  const problems = shrinkTo(store, found.pets);
  for (const [text, key] of store.keys) {
    const isRevoked = found.keys.get(key.hash);
    if (isRevoked === undefined) store.keys.delete(text);
    else key.isRevoked = isRevoked;
  }
  if (problems.length > 0) throw new Fault(`${basename(dirname(store.path))}: ${problems.join('; ')}`);
}
