import { copyFileSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { between } from '../../test/support/random.ts';
import type { IssuedKey } from '../support/commands.ts';
import { cloneModel, Fault, removeStore, restoredModel, type StoreModel } from './model.ts';
import { isMade, type Step, type World } from './world.ts';

const start: Step = async (world) => {
  if (world.serving) return undefined;
  const store = world.random.pick(world.stores);
  await world.start(store);
  return `started ${store.path}`;
};

const createSome: Step = async (world) => {
  if (!world.serving) return undefined;
  const count = between(world.random, 1, 6);
  if ((await world.create(world.serving, count)) < count) throw new Fault('A sound service refuses creates');
  return `created ${count} pets`;
};

const end: Step = async (world) => {
  if (!world.serving) return undefined;
  const isKilled = world.chance(0.5);
  const creating = isKilled ? world.create(world.serving, 8) : undefined;
  if (isKilled) await Bun.sleep(world.random.next() * 10);
  await world.end(isKilled);
  await creating;
  return isKilled ? 'killed the service while it created' : 'stopped the service';
};

const createKey: Step = async (world) => {
  const store = world.random.pick(world.stores);
  const { stdout } = await succeed(world, ['keys', 'create', '--name', 'torture', '--json'], store);
  const { id, key } = JSON.parse(stdout) as IssuedKey;
  store.keys.set(key, { id, isRevoked: false });
  return `created a key of ${store.path}`;
};

/** A service refuses the key at the next request, which the judgement after the step makes. */
const revokeKey: Step = async (world) => {
  const store = world.random.pick(world.stores);
  return (await revokeOne(world, store)) ? `revoked a key of ${store.path}` : undefined;
};

async function revokeOne(world: World, store: StoreModel): Promise<boolean> {
  const key = world.random.pick([...store.keys.values()].filter(({ isRevoked }) => !isRevoked));
  if (!key) return false;
  await succeed(world, ['keys', 'revoke', key.id], store);
  key.isRevoked = true;
  return true;
}

const backUp: Step = async (world) => {
  const store = world.random.pick(world.stores.filter(isMade));
  if (!store) return undefined;
  const path = world.pathOf(`backups/${world.nextNumber()}.db`);
  await succeed(world, ['backup', path], store);
  world.backups.push(cloneModel(store, path));
  if (world.backups.length > 3) removeStore(world.backups.shift()?.path ?? '');
  return `backed ${store.path} up`;
};

/** A stopped store may lose its shared memory, and be moved with its log. */
const moveStopped: Step = (world) => {
  const store = world.random.pick(world.stopped().filter(isMade));
  if (!store) return undefined;
  rmSync(`${store.path}-shm`, { force: true });
  const to = `${store.path.slice(0, -basename(store.path).length)}store-${world.nextNumber()}.db`;
  for (const suffix of ['', '-wal'])
    if (statSync(store.path + suffix, { throwIfNoEntry: false }))
      renameSync(store.path + suffix, to + suffix);
  store.path = to;
  return `moved a stopped store to ${to}`;
};

/** Ways to take a file of a store from its service, each with the way back. */
const losses: ((path: string, spare: string) => () => void)[] = [
  (path, spare) => take(path, spare),
  (path, spare) => take(`${path}-shm`, spare),
  (path, spare) => take(`${path}-wal`, spare),
  (path, spare) => {
    linkSync(path, spare);
    copyFileSync(path, `${spare}.other`);
    renameSync(`${spare}.other`, path);
    return () => renameSync(spare, path);
  },
];

function take(file: string, spare: string): () => void {
  renameSync(file, spare);
  return () => renameSync(spare, file);
}

/** Nothing is acknowledged from the first moment on, even if the file comes back. */
const loseFile: Step = async (world) => {
  const { serving } = world;
  if (!serving || !isMade(serving.store)) return undefined;
  // The log must be there to be lost.
  await world.create(serving, 1);
  const loss = between(world.random, 0, losses.length - 1);
  const putBack = losses[loss]!(serving.store.path, `${serving.store.path}.spare`);
  const expectRefused = async (): Promise<void> => {
    if ((await world.create(serving, 2)) > 0) throw new Fault(`Creates are acknowledged after loss ${loss}`);
  };
  await expectRefused();
  // Until it has looked, it may serve a file that comes back.
  await serving.service.untilLogged(/The store was moved, replaced or removed/);
  // Without its shared memory, others can still use the store, and must not be overwritten.
  const isShared = loss === 1 && world.chance(0.7) && (await revokeOne(world, serving.store));
  if (!isShared) putBack();
  await expectRefused();
  await world.end(world.chance(0.3));
  if (isShared) rmSync(`${serving.store.path}.spare`);
  world.count('files taken from a service');
  return `took a file from the service (${loss})`;
};

const restore: Step = async (world) => {
  const [store, backup] = [world.random.pick(world.stores), world.random.pick(world.backups)];
  if (!backup) return undefined;
  const isForced = world.chance(0.7);
  const args = ['restore', backup.path, ...(isForced ? ['--force'] : [])];
  const { status, stderr } = await world.run(args, store);
  const isServed = store === world.serving?.store;
  // What an unacknowledged create has left is not known, so a restore may go either way then.
  const mustRefuse = isServed || (!isForced && store.pets.size > 0);
  if (status === 0 ? mustRefuse : isForced && !isServed)
    throw new Fault(`A restore to ${store.path} ended with ${status}: ${stderr}`);
  if (status === 0) world.stores[world.stores.indexOf(store)] = restoredModel(backup, store);
  world.count(status === 0 ? 'restores' : 'restores refused');
  return `restore to ${store.path}: ${status}`;
};

async function succeed(world: World, args: string[], store: StoreModel) {
  const result = await world.run(args, store);
  if (result.status !== 0) throw new Fault(`petstore ${args[0]} of a sound store failed: ${result.stderr}`);
  return result;
}

/** Likelier than others by their weight. */
export const steps: readonly Step[] = (
  [
    [8, start],
    [8, createSome],
    [4, end],
    [3, createKey],
    [3, revokeKey],
    [4, backUp],
    [3, moveStopped],
    [4, loseFile],
    [4, restore],
  ] as [number, Step][]
).flatMap(([weight, step]) => Array.from({ length: weight }, () => step));
