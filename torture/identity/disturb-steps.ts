import { copyFileSync, existsSync, linkSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { forgetJudgement } from './judge.ts';
import { cloneModel, type StoreModel } from './model.ts';
import { newPlace, pickSoundBackup, type Step } from './operator-steps.ts';
import { createPets, end, lastLines } from './services.ts';
import { Fault, type Serving, type World } from './world.ts';

/** What an operator does to the files and links of stores while services run. */

/** `mv` of the file alone; its log stays behind until the services have ended. */
export const moveServed: Step = async (world) => {
  const store = pickServed(world);
  if (!store) return undefined;
  const from = store.path;
  const to = newPlace(world);
  const leavesLink = world.chance(0.6);
  const what = `moved ${from} to ${to}${leavesLink ? ', a link left,' : ''} under its services`;
  renameSync(from, to);
  if (leavesLink) symlinkSync(to, from);
  const affected = [...world.services].filter((serving) => serving.store === store);
  return disturb(world, affected, {
    what,
    undo() {
      if (leavesLink) rmSync(from);
      renameSync(to, from);
    },
    settle() {
      moveSideFiles(from, to);
      store.path = to;
      forgetJudgement(store);
    },
  });
};

/** `mv backup.db petstore.db`. */
export const replaceServed: Step = async (world) => {
  const store = pickServed(world);
  const backup = pickSoundBackup(world);
  if (!store || !backup) return undefined;
  const { path } = store;
  const kept = newPlace(world);
  const incoming = newPlace(world);
  copyFileSync(backup.path, incoming);
  linkSync(path, kept);
  renameSync(incoming, path);
  const affected = [...world.services].filter((serving) => serving.store === store);
  return disturb(world, affected, {
    what: `replaced ${path} by a backup under its services`,
    undo: () => renameSync(kept, path),
    settle() {
      moveSideFiles(path, kept);
      store.path = kept;
      forgetJudgement(store);
      world.stores.add(cloneModel(backup, path));
    },
  });
};

/** `rm petstore.db-shm`, or a move from which it comes back. */
export const loseMemory: Step = async (world) => {
  const store = pickServed(world);
  if (!store) return undefined;
  const memory = `${store.path}-shm`;
  const hidden = newPlace(world);
  renameSync(memory, hidden);
  const affected = [...world.services].filter((serving) => serving.store === store);
  return disturb(world, affected, {
    what: `removed ${memory} under its services`,
    undo: () => renameSync(hidden, memory),
    settle: () => forgetJudgement(store),
  });
};

/** A folder link or a file link is made to lead elsewhere, at once. */
export const flipLink: Step = async (world) => {
  const [link, target]: [string, string] = world.chance(0.5)
    ? ['current', readlinkSync(world.pathOf('current')) === 'a' ? 'b' : 'a']
    : [
        'link.db',
        world.random.pick(world.names().filter((name) => !['link.db', 'second.db'].includes(name))),
      ];
  const before = readlinkSync(world.pathOf(link));
  pointTo(world, link, target);
  const affected = [...world.services].filter((serving) => !world.isInPlace(serving));
  const what = `made ${link} lead to ${target}`;
  if (affected.length === 0) return what;
  return disturb(world, affected, {
    what: `${what} under ${affected.length} services`,
    undo: () => pointTo(world, link, before),
    settle() {},
  });
};

interface Disturbance {
  what: string;
  /** Puts everything back. */
  undo: () => void;
  /** Called when the services have ended: brings together again what belongs together. */
  settle: () => void;
}

const movedLine = /The store was moved, replaced or removed/g;
const backLine = /The store is back in its place/g;

/** Nothing is acknowledged from the first moment on, and every process notices by itself. */
async function disturb(
  world: World,
  affected: Serving[],
  { what, undo, settle }: Disturbance,
): Promise<string> {
  world.count('disturbances under a service');
  const startedAt = performance.now();
  for (const serving of affected) await createPets(world, serving, 2);
  const noticed = affected.map((serving) => untilLogged(serving, movedLine, what));
  await Promise.all(noticed);
  world.countSlowest('noticed after, slowest ms', Math.round(performance.now() - startedAt));
  for (const serving of affected) {
    const { status } = await serving.service.call('/v1/pets');
    if (status !== 503) throw new Fault(`${serving.name} is still read (${status}) after: ${what}`);
    await createPets(world, serving, 1);
  }
  if (world.chance(0.5)) {
    undo();
    await Promise.all(affected.map((serving) => untilLogged(serving, backLine, `undone: ${what}`)));
    for (const serving of affected) {
      const { refused } = await createPets(world, serving, 2);
      if (refused > 0) throw new Fault(`${serving.name} refuses creates after it was undone: ${what}`);
    }
    return `${what}, and undone`;
  }
  for (const serving of affected) await end(world, serving, world.chance(0.5));
  settle();
  return `${what}, and ended`;
}

const patienceMs = 20_000;
const logged = new WeakMap<Serving, Map<RegExp, number>>();

/** Resolves when every process of the service has written the line once more. */
async function untilLogged(serving: Serving, line: RegExp, why: string): Promise<void> {
  const counts = logged.get(serving) ?? new Map<RegExp, number>();
  logged.set(serving, counts);
  const expected = (counts.get(line) ?? 0) + serving.workers;
  counts.set(line, expected);
  const deadline = performance.now() + patienceMs;
  while ((serving.service.stdout.match(line)?.length ?? 0) < expected) {
    if (performance.now() > deadline)
      throw new Fault(`${serving.name} has not noticed: ${why}. ${lastLines(serving.service)}`);
    await Bun.sleep(10);
  }
}

function pickServed(world: World): StoreModel | undefined {
  const served = [...world.services].map(({ store }) => store);
  return world.random.pick(served);
}

function moveSideFiles(from: string, to: string): void {
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(from + suffix)) renameSync(from + suffix, to + suffix);
  }
}

function pointTo(world: World, link: string, target: string): void {
  symlinkSync(target, world.pathOf('next-link'));
  renameSync(world.pathOf('next-link'), world.pathOf(link));
}
