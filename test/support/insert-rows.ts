import type { Order } from '../../src/domain/history.ts';
import { type NewPet, renderPet } from '../../src/domain/pet.ts';
import { insertInto, orderRow, petRow } from '../../src/stores/rows.ts';
import type { InputRow } from '../../src/stores/statement.ts';
import type { StorePlace } from './store-place.ts';

type Place = Pick<StorePlace, 'openTables'>;

/** Puts pets into a store past the service, with ids that the service would not assign. */
export function insertPets(place: Place, pets: readonly (NewPet & { id: bigint })[]): Promise<void> {
  const rows = pets.map(({ id, ...pet }) => petRow([id, { pet, json: renderPet(id, pet) }]));
  return insertRows(place, 'pets', rows);
}

/** Puts orders of pets that are gone into a store. */
export function insertOrders(place: Place, orders: readonly Order[]): Promise<void> {
  return insertRows(place, 'orders', orders.map(orderRow));
}

async function insertRows(place: Place, table: 'pets' | 'orders', rows: readonly InputRow[]): Promise<void> {
  const tables = await place.openTables();
  await tables.write((tx) => void tx.each(insertInto(table), rows));
  await tables.close();
}
