import { readAll, type BulkStore, type BulkTable } from '../../../src/domain/bulk-store.ts';
import { openPostgresBulk } from '../../../src/postgres/maintenance/bulk.ts';
import { openPostgresImport } from '../../../src/postgres/maintenance/import.ts';
import { inspectPostgres } from '../../../src/postgres/maintenance/inspect.ts';
import { openPostgresStore } from '../../../src/postgres/open.ts';
import { petStatuses } from '../../../src/domain/pet.ts';

const rex = { name: 'Rex', categoryId: 1n };

/** Does all that a store can do, on an empty place, and copies it to another one. */
export async function useEverything(address: string, copyAddress: string): Promise<void> {
  await serve(address);
  await recordOrders(address);
  await importInto(address);
  await copy(address, copyAddress);
  await inspectPostgres(address, {});
}

async function serve(address: string): Promise<void> {
  const store = await openPostgresStore({ address });
  const { pets, experimental, keys } = store;
  await pets.checkWritable();
  const { id } = await pets.createPet(rex);
  const idempotency = { caller: 'shop', key: 'one' };
  await pets.createPet({ ...rex, status: 'sold' }, idempotency);
  await pets.createPet({ ...rex, status: 'sold' }, idempotency);
  await pets.checkWritable();
  await pets.getPet(id);
  for (const limit of [1, 20, 100]) {
    await pets.listPets({ limit });
    for (const status of petStatuses) await pets.listPets({ limit, status, after: 1n });
    // So many that some wait for others, and are read together.
    await Promise.all([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n].map(async (after) => pets.listPets({ limit, after })));
  }
  await experimental.updatePet(id, { changes: { status: 'sold' }, expected: { status: null } });
  for (const filter of [{}, { status: 'sold' }] as const)
    await experimental.listOrders({ limit: 20, after: 0n, ...filter });
  await experimental.deletePet(id);
  const key = await keys.createKey({
    name: 'till',
    hash: 'hash',
    lastFour: 'abcd',
    isReadOnly: false,
    createdAt: new Date(),
  });
  await keys.findKey('hash');
  await keys.listKeys();
  await keys.recordUse(key.id, new Date());
  await keys.revokeKey(key.id, new Date());
  await store.close();
}

async function recordOrders(address: string): Promise<void> {
  const store = await openPostgresStore({ address, recordsOrders: true });
  await store.pets.createPet({ ...rex, status: 'pending' });
  await store.pets.createPet({ ...rex, status: 'pending' }, { caller: 'shop', key: 'two' });
  await store.close();
}

async function importInto(address: string): Promise<void> {
  const imports = await openPostgresImport({ address });
  await imports.addPets([rex], { source: 'file', addedBefore: 0 });
  await imports.addPets([{ ...rex, id: 100n }]);
  await imports.addPets([{ ...rex, id: 10_000_000n }]);
  await imports.findImport('file');
  await imports.finishImport('file', new Date());
  await imports.forgetImport('other');
  await imports.largestId();
  await imports.close();
}

const tables = ['pets', 'orders', 'keys', 'idempotencyRecords', 'imports'] as const;

async function copy(address: string, copyAddress: string): Promise<void> {
  const from = await openPostgresBulk({ address, mayCreate: false });
  const to = await openPostgresBulk({ address: copyAddress, mayCreate: true });
  for (const table of tables) {
    const [source, target] = [tableOf(from, table), tableOf(to, table)];
    await source.count();
    for await (const rows of readAll(source)) await target.write(rows);
  }
  await to.raiseLastIds(await from.lastIds());
  await from.close();
  await to.close();
}

function tableOf(store: BulkStore, name: (typeof tables)[number]): BulkTable<unknown> {
  return store[name];
}
