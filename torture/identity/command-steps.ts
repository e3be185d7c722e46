import { writeFileSync } from 'node:fs';
import { hashKey } from '../../src/domain/api-key.ts';
import { issuedKeys, type IssuedKey } from '../support/issue-key.ts';
import { cloneModel, compareWith, createModel, fieldsOf, foundPets, type StoreModel } from './model.ts';
import type { Step } from './operator-steps.ts';
import { readCopy } from './read-copy.ts';
import { addNew } from './services.ts';
import { Fault, sideFiles, type World } from './world.ts';

/** What `petstore` commands do to stores, used or not, by any of their names. */

export const doctor: Step = async (world) => {
  const { name, store } = pickNamed(world);
  if (!store) return undefined;
  const { status, stdout } = await world.run(['doctor', ...at(world, name)], { looksOnly: true });
  const [, count] = /is sound and holds ([\d,]+) /.exec(stdout) ?? [];
  if (status === 0 && count !== undefined) {
    const found = Number(count.replaceAll(',', ''));
    if (found < store.pets.size || found > store.pets.size + store.unsure.size)
      throw new Fault(`petstore doctor found ${found} of ${store.pets.size} pets in ${name}`);
  } else if (!store.isHarmed) throw new Fault(`petstore doctor of ${name}: ${stdout}`);
  return `doctor of ${name}: ${status}`;
};

export const exportPets: Step = async (world) => {
  const { name, store } = pickNamed(world);
  if (!store) return undefined;
  return `export of ${name}: ${await judgeExport(world, name, store)}`;
};

/** Returns the exit status. */
export async function judgeExport(world: World, name: string, store: StoreModel): Promise<number> {
  const { status, stdout, stderr } = await world.run(['export', ...at(world, name)], { looksOnly: true });
  expectSuccess(status, stderr, store);
  if (status !== 0) return status;
  const lines = stdout.split('\n').filter((line) => line !== '');
  expectSame(compareWith(store, foundPets(lines.map((line) => JSON.parse(line)))), `The export of ${name}`);
  return status;
}

export const backUp: Step = async (world) => {
  const { name, store } = pickNamed(world);
  if (!store) return undefined;
  const file = `backups/backup-${world.nextNumber()}.db`;
  const args = ['backup', world.pathOf(file), ...at(world, name)];
  const { status, stderr } = await world.run(args, { looksOnly: true, makes: file });
  expectSuccess(status, stderr, store);
  if (status !== 0) return `backup of ${name} was refused`;
  const backup = { ...cloneModel(store, world.pathOf(file)), isHarmed: false };
  expectSame(compareWith(backup, readCopy(backup.path)?.pets ?? []), `The backup of ${name}`);
  world.backups.add(backup);
  return `backup of ${name} as ${file}`;
};

/** Into a new store, or into another spelling of the same one. */
export const copyCommand: Step = async (world) => {
  const { name, store } = pickNamed(world);
  if (!store) return undefined;
  if (world.chance(0.4)) {
    const other = world.pathOf(world.nameOf(store));
    const { status } = await world.run(['copy', '--from', world.pathOf(name), '--to', other]);
    if (status !== 2) throw new Fault(`petstore copy of ${name} to itself ended with ${status}`);
    return `copy of ${name} to itself`;
  }
  const to = `copies/copied-${world.nextNumber()}.db`;
  const { status, stderr } = await world.run([
    'copy',
    '--from',
    world.pathOf(name),
    '--to',
    world.pathOf(to),
  ]);
  expectSuccess(status, stderr, store);
  if (status !== 0) return `copy of ${name} was refused`;
  addNew(world, to, { ...cloneModel(store, ''), isHarmed: false });
  return `copy of ${name} to ${to}`;
};

/** Two good rows and a bad one. The rejects may be told to go into the store. */
export const importPets: Step = async (world) => {
  const { name, store } = pickNamed(world);
  if (!store) return undefined;
  const number = world.nextNumber();
  const pets = [1, 2].map((categoryId) => ({ name: `imported-${number}-${categoryId}`, categoryId }));
  const input = world.pathOf(`copies/pets-${number}.ndjson`);
  writeFileSync(input, [...pets, { name: 1 }].map((pet) => `${JSON.stringify(pet)}\n`).join(''));
  const rejects = `copies/rejects-${number}`;
  if (world.chance(0.5)) {
    const file = world.random.pick([
      world.pathOf(world.nameOf(store)),
      ...sideFiles.map((end) => store.path + end),
    ]);
    const { status } = await world.run(['import', input, '--rejects', file, ...at(world, name)]);
    if (status !== 2)
      throw new Fault(`petstore import ended with ${status}, its rejects told to go into ${file}`);
    return `import into ${name} with rejects into ${file}`;
  }
  // Bad rows are written before the store is opened, so a refusal leaves them behind.
  const args = ['import', input, '--rejects', world.pathOf(rejects), ...at(world, name)];
  const { status, stderr } = await world.run(args, { leaves: rejects });
  expectSuccess(status, stderr, store);
  if (status !== 0) return `import into ${name} was refused`;
  for (const pet of pets) store.pets.set(pet.name, { id: undefined, fields: fieldsOf(pet) });
  store.isHarmed = false;
  return `import into ${name}`;
};

export const createKey: Step = async (world) => {
  const { name, store: known } = pickNamed(world);
  const args = ['keys', 'create', '--name', 'torture', '--json', ...at(world, name)];
  const { status, stdout, stderr } = await world.run(args);
  expectSuccess(status, stderr, known);
  if (status !== 0) return `keys create of ${name} was refused`;
  const { id, key } = JSON.parse(stdout) as IssuedKey;
  issuedKeys.add(key);
  const store = known ?? createModel('');
  if (!known) addNew(world, name, store);
  store.isHarmed = false;
  store.keys.set(key, { id, hash: hashKey(key), isRevoked: false });
  return `keys create of ${name}`;
};

/** Every service of the store refuses the key at the next request. */
export const revokeKey: Step = async (world) => {
  const known = [...world.stores].flatMap((store) =>
    [...store.keys].map(([text, key]) => ({ store, text, key })),
  );
  const chosen = world.random.pick(known.filter(({ key }) => !key.isRevoked));
  if (!chosen) return undefined;
  const { store, text, key } = chosen;
  const name = world.nameOf(store);
  const { status, stderr } = await world.run(['keys', 'revoke', key.id, ...at(world, name)]);
  expectSuccess(status, stderr, store);
  if (status !== 0) return `keys revoke of ${name} was refused`;
  store.keys.set(text, { ...key, isRevoked: true });
  store.isHarmed = false;
  for (const serving of world.services) {
    if (serving.store !== store) continue;
    const response = await serving.service.callWith(text, '/v1/pets');
    if (response.status !== 401) throw new Fault(`A revoked key of ${name} got ${response.status}`);
  }
  return `keys revoke of ${name}`;
};

/** Commands that are told to write to the store itself. */
export const writeOverStore: Step = async (world) => {
  const { name, store } = pickNamed(world);
  if (!store) return undefined;
  const file = store.path + world.random.pick(sideFiles);
  for (const command of [
    ['export', file, '--force', '--format', 'ndjson'],
    ['backup', file],
  ]) {
    const { status } = await world.run([...command, ...at(world, name)]);
    if (status === 0) throw new Fault(`petstore ${command[0]} has written over ${file}`);
  }
  return `export and backup of ${name} to ${file}`;
};

export function pickNamed(world: World): { name: string; store: StoreModel | undefined } {
  const name = world.random.pick(world.names());
  return { name, store: world.storeOf(name) };
}

export function at(world: World, name: string): string[] {
  return ['--database-url', world.pathOf(name)];
}

function expectSuccess(status: number, stderr: string, store: StoreModel | undefined): void {
  if (status !== 0 && !store?.isHarmed) throw new Fault(`A sound store was refused: ${stderr}`);
}

function expectSame(problems: string[], what: string): void {
  if (problems.length > 0) throw new Fault(`${what} differs: ${problems.join('; ')}`);
}
