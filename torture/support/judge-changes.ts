import { Database } from 'bun:sqlite';
import { jsonOf, type PetRecord, type PetState } from './change-journal.ts';
import { firstLine } from './judge.ts';

/** What a store holds of one pet. */
interface Found {
  id: string;
  json: string | undefined;
  orders: string[];
}

/** Everything in a SQLite file that is not as the clients know it; each pet with its orders, or not at all. */
export function judgeChanges(path: string, records: readonly PetRecord[]): string[] {
  try {
    return compare(readStore(path), records);
  } catch (error) {
    return [`The file is damaged: ${firstLine(error)}`];
  }
}

interface StoreRows {
  pets: { id: string; json: string; name: string }[];
  orders: { petId: string; status: string }[];
}

function readStore(path: string): StoreRows {
  using database = new Database(path, { readwrite: true, create: false });
  const [check] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').all();
  if (check?.integrity_check !== 'ok') throw new Error(check?.integrity_check);
  return {
    pets: database
      .query<StoreRows['pets'][number], []>(
        `SELECT CAST(id AS TEXT) AS id, json, json ->> 'name' AS name FROM pets`,
      )
      .all(),
    orders: database
      .query<StoreRows['orders'][number], []>(
        'SELECT CAST(pet_id AS TEXT) AS petId, status FROM orders ORDER BY orders.id',
      )
      .all(),
  };
}

function compare({ pets, orders }: StoreRows, records: readonly PetRecord[]): string[] {
  const petsOfName = Map.groupBy(pets, ({ name }) => name);
  const ordersOfPet = Map.groupBy(orders, ({ petId }) => petId);
  const faults: string[] = [];
  const known = new Set<string>();
  for (const record of records) {
    const rows = petsOfName.get(record.name) ?? [];
    petsOfName.delete(record.name);
    if (rows.length > 1) faults.push(`${record.name} is there ${rows.length} times`);
    // Of a create without a response, only the store knows the id.
    const id = record.id ?? rows[0]?.id;
    if (id === undefined) continue;
    if (known.has(id)) faults.push(`The id ${id} was used twice`);
    known.add(id);
    const found = {
      id,
      json: rows[0]?.json,
      orders: (ordersOfPet.get(id) ?? []).map(({ status }) => status),
    };
    const allowed = [record.acknowledged, record.attempted].filter((state) => state !== undefined);
    if (!allowed.some((state) => isAs(found, state))) faults.push(describe(record, found));
  }
  faults.push(...[...petsOfName.keys()].map((name) => `${name} is there, and nobody created it`));
  const strangers = [...ordersOfPet.keys()].filter((petId) => !known.has(petId));
  faults.push(...strangers.map((petId) => `There is an order of pet ${petId}, which is nobody's`));
  return faults;
}

function isAs({ id, json, orders }: Found, state: PetState): boolean {
  const expected = state.pet && jsonOf(id, state.pet);
  return json === expected && orders.join() === state.orders.join();
}

function describe({ acknowledged, attempted }: PetRecord, { id, json, orders }: Found): string {
  const text = ({ pet, orders: its }: PetState) => `${pet ? jsonOf(id, pet) : 'no pet'} with [${its.join()}]`;
  const may = attempted ? `, perhaps ${text(attempted)}` : '';
  return `${json ?? 'no pet'} with [${orders.join()}] instead of ${text(acknowledged)}${may}`;
}
