import { nextQuery, post } from '../../test/support/http/calls.ts';
import { childrenOf, isRunning } from '../../test/support/process/process-tree.ts';
import type { Service } from '../../test/support/process/process.ts';
import { between } from '../../test/support/random.ts';
import { serve } from '../support/serve.ts';
import { compareWith, createModel, fieldsOf, foundPets, type FoundPet, type StoreModel } from './model.ts';
import { Fault, type Serving, type World } from './world.ts';

/** Starts a service on a name; undefined when it is refused, as it may be on a damaged store alone. */
export async function start(world: World, name: string, workers: number): Promise<Serving | undefined> {
  const known = world.storeOf(name);
  const before = world.hashes();
  let service: Service;
  try {
    service = await serve({ databaseUrl: world.pathOf(name), workers, program: world.program });
  } catch (error) {
    if (!known?.isHarmed) throw new Fault(`A service on ${name} did not start: ${String(error)}`);
    if (JSON.stringify(world.hashes()) !== JSON.stringify(before))
      throw new Fault(`A refused start on ${name} has changed a file: ${String(error)}`);
    world.count('starts refused');
    return undefined;
  }
  const serving = { service, name, store: known ?? createModel(''), workers };
  world.services.add(serving);
  world.count('starts');
  if (!known) addNew(world, name, serving.store);
  // Whoever serves it has found it whole, and is judged by that.
  serving.store.isHarmed = false;
  return serving;
}

/** A store that a command has made where there was none. */
export function addNew(world: World, name: string, store: StoreModel): void {
  const path = world.follow(name);
  if (path === undefined) throw new Fault(`No store was made at ${name}`);
  store.path = path;
  world.stores.add(store);
}

/** Ends a service and all its workers, and waits until they are gone. */
export async function end(world: World, serving: Serving, isKilled: boolean): Promise<void> {
  const { service } = serving;
  const workers = childrenOf(service.pid);
  if (isKilled) await service.kill9();
  else if ((await service.stop()) !== 0)
    throw new Fault(`A service did not stop well: ${lastLines(service)}`);
  while (workers.some(isRunning)) await Bun.sleep(2);
  world.services.delete(serving);
  world.count(isKilled ? 'kills' : 'stops');
  await service[Symbol.asyncDispose]();
}

export interface Created {
  acknowledged: number;
  refused: number;
}

/** Creates some pets at once. What is acknowledged must be for the file that the name leads to. */
export async function createPets(world: World, serving: Serving, count: number): Promise<Created> {
  const outcomes = await Promise.all(Array.from({ length: count }, () => createPet(world, serving)));
  const acknowledged = outcomes.filter((isAcknowledged) => isAcknowledged).length;
  world.count('creates acknowledged', acknowledged);
  return { acknowledged, refused: count - acknowledged };
}

async function createPet(world: World, serving: Serving): Promise<boolean> {
  const { service, store, name: served } = serving;
  const name = `pet-${world.nextNumber()}`;
  const status = world.random.pick(['available', 'pending', 'sold', undefined]);
  const pet = { name, categoryId: between(world.random, 1, 9), ...(status !== undefined && { status }) };
  store.unsure.set(name, fieldsOf(pet));
  const response = await service.call('/v1/pets', post(pet)).catch(() => undefined);
  const body = await response?.text().catch(() => undefined);
  if (response?.status !== 201 || body === undefined) return false;
  if (!world.isInPlace(serving))
    throw new Fault(`A create was acknowledged though ${served} no longer leads to the file that was served`);
  const [created] = foundPets([JSON.parse(body)]);
  if (created?.name !== name || created.fields !== fieldsOf(pet))
    throw new Fault(`A create on ${served} was acknowledged with ${body}`);
  const { id, fields } = created;
  const taken = [...store.pets].find(([, known]) => known.id === id);
  if (taken) throw new Fault(`The id ${id} of ${taken[0]} was assigned to ${name} as well`);
  store.unsure.delete(name);
  store.pets.set(name, { id, fields });
  return true;
}

/** Reads every page. */
export async function listPets({ service, name }: Serving): Promise<FoundPet[]> {
  const found: FoundPet[] = [];
  for (let query: string | undefined = '?limit=100'; query !== undefined;) {
    const response: Response = await service.call(`/v1/pets${query}`);
    if (response.status !== 200)
      throw new Fault(`GET ${query} on ${name} gave ${response.status}: ${lastLines(service)}`);
    found.push(...foundPets((await response.json()) as Parameters<typeof foundPets>[0]));
    query = nextQuery(response);
  }
  return found;
}

/** What a service lists is what was acknowledged, and its keys are those of the store. */
export async function judgeService(serving: Serving): Promise<void> {
  const { name, store } = serving;
  const problems = compareWith(store, await listPets(serving));
  if (problems.length > 0) throw new Fault(`${name} lists other pets than it should: ${problems.join('; ')}`);
  for (const [key, { id, isRevoked }] of [...store.keys].slice(-2)) {
    const { status } = await serving.service.callWith(key, '/v1/pets?limit=1');
    if (status !== (isRevoked ? 401 : 200))
      throw new Fault(`Key ${id} of ${name}, ${isRevoked ? 'revoked' : 'good'}, got ${status}`);
  }
}

export function lastLines({ stdout, stderr }: Service): string {
  return `${stdout}${stderr}`.trim().split('\n').slice(-3).join(' ');
}
