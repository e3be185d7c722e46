import { existsSync, readFileSync } from 'node:fs';
import { isRunning } from '../../test/support/process/process-tree.ts';
import { compareWith, type StoreModel } from './model.ts';
import { compareKeys, readCopy } from './read-copy.ts';
import { judgeService, lastLines } from './services.ts';
import { Fault, sideFiles, type World } from './world.ts';

/** The hashes of stores and backups when they were last judged. */
const judged = new WeakMap<StoreModel, string>();

/** Compares everything with what was acknowledged: by the service where one runs, and by a copy where none does. */
export async function judgeWorld(world: World): Promise<void> {
  for (const serving of world.services) {
    if (!isRunning(serving.service.pid))
      throw new Fault(`The service on ${serving.name} has ended: ${lastLines(serving.service)}`);
    await judgeService(serving);
  }
  for (const store of world.stopped()) judgeStopped(store);
  for (const backup of world.backups) judgeUnchanged(backup);
}

function judgeStopped(store: StoreModel): void {
  // SQLite would cut a damaged log silently; what the program makes of it is judged where it runs.
  if (store.isHarmed) return judgeUnchanged(store);
  const hash = hashOf(store.path);
  if (judged.get(store) === hash) return;
  const found = readCopy(store.path);
  const problems = found
    ? [...compareWith(store, found.pets), ...compareKeys(store.keys.values(), found.keys)]
    : ['it is not sound'];
  if (problems.length > 0) throw new Fault(`The store ${store.path}: ${problems.join('; ')}`);
  judged.set(store, hash);
}

function judgeUnchanged(store: StoreModel): void {
  const hash = hashOf(store.path);
  const before = judged.get(store) ?? hash;
  judged.set(store, hash);
  if (hash !== before) throw new Fault(`${store.path} was changed`);
}

/** After the operator has changed a store by hand. */
export function forgetJudgement(store: StoreModel): void {
  judged.delete(store);
}

/** Of the file, the log and the shared memory. */
export function hashOf(path: string): string {
  const hashes = sideFiles.map((suffix) =>
    existsSync(path + suffix) ? Bun.hash(readFileSync(path + suffix)).toString(36) : '-',
  );
  return hashes.join(' ');
}
