import { expect, it } from 'bun:test';
import { OperatorError } from '../../src/domain/error.ts';
import { checkRows, emptyStore } from '../../src/stores/check.ts';
import type { StoreTables } from '../../src/stores/copy.ts';
import { noReport } from '../../src/system/progress.ts';
import { createPet, deletePet, putCategory } from '../support/changes.ts';
import { failureOf } from '../support/failure.ts';
import { onEveryStore } from '../support/stores.ts';

const damaged = (row: string) => new OperatorError(`damaged at ${row}`, '');

onEveryStore('the check of every row', ({ open, place }) => {
  async function withTables<Result>(work: (tables: StoreTables) => Promise<Result>): Promise<Result> {
    const tables = await place().openTables();
    try {
      return await work(tables);
    } finally {
      await tables.close();
    }
  }
  const check = () => withTables((tables) => checkRows(tables, { report: noReport, damaged }));
  const change = (sql: string, id: bigint) =>
    withTables((tables) => tables.write((tx) => void tx.each({ input: { id: 'bigint' }, sql }, [[id]])));

  it('counts pets, orders and keys, and names a row whose JSON is broken or does not agree with it', async () => {
    expect(await check()).toEqual(emptyStore);
    const { pets, keys } = await open();
    for (const name of ['Rex', 'Tom']) await pets.apply(createPet({ name, categoryId: 1n, status: 'sold' }));
    await pets.apply(deletePet(2n));
    await pets.apply(putCategory(7n, 'Dogs'));
    const till = { name: 'till', lastFour: 'last', isReadOnly: false, mayDelete: true };
    await keys.createKey({ ...till, hash: 'a', createdAt: new Date(0) });
    await keys.createKey({ ...till, hash: 'b', createdAt: new Date(0), expiresAt: new Date(1) });
    expect(await check()).toEqual({ petCount: 1, orderCount: 2, keyCount: 2, usableKeyCount: 1 });
    // From the table that is read last to the first.
    for (const [row, table, id, set] of [
      ['event 4', 'events', 4n, 'json = substr(json, 2)'],
      ['category 7', 'categories', 7n, 'json = substr(json, 2)'],
      ['order 2', 'orders', 2n, 'pet_id = 7'],
      ['pet 1', 'pets', 1n, "json = replace(json, 'Rex', 'Tom')"],
    ] as const) {
      await change(`UPDATE ${table} SET ${set} WHERE id IN (SELECT input.id FROM input)`, id);
      expect(await failureOf(check())).toMatchObject({ problem: `damaged at ${row}` });
    }
  });
});
