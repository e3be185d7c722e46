import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { noReport } from '../../../src/system/progress.ts';
import { backUpSqlite } from '../../../src/stores/sqlite/maintenance/backup.ts';
import { openSqliteBulk } from '../../../src/stores/sqlite/maintenance/bulk.ts';
import { codeOf } from '../../support/code-of.ts';
import { useSqliteFile } from '../../support/sqlite-file.ts';
import { createPet, deleteCategory, deletePet, putCategory, updatePet } from '../../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };

const place = useSqliteFile();

/** How many commits are in the log: the last frame of each holds the size of the database. */
function countCommits(): number {
  const log = readFileSync(`${place.path}-wal`);
  const frameBytes = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let frame = 32; frame + frameBytes <= log.length; frame += frameBytes) {
    if (log.readUInt32BE(frame + 4) > 0) commits += 1;
  }
  return commits;
}

describe('updates and deletes', () => {
  it('share a commit with everything that arrives together, including refusals', async () => {
    const store = place.open();
    const ids = await Promise.all(
      Array.from({ length: 100 }, async () => (await store.pets.apply(createPet(rex))).id),
    );
    const before = countCommits();
    const { pets } = store;
    const outcomes = await Promise.all(
      ids.flatMap((id, index) => [
        codeOf(store.pets.apply(createPet({ ...rex, status: 'sold' }))),
        codeOf(pets.apply(updatePet(id, { changes: { status: 'pending' } }))),
        codeOf(pets.apply(updatePet(id, { changes: { name: 'x' }, expected: { name: 'other' } }))),
        codeOf(pets.apply(deletePet(index % 2 ? id : 10_000n))),
      ]),
    );
    expect(Object.groupBy(outcomes, (outcome) => outcome)).toMatchObject({
      done: { length: 250 },
      precondition_failed: { length: 100 },
      not_found: { length: 50 },
    });
    expect(countCommits() - before).toBeLessThanOrEqual(2);
  });

  it('never free the id of a pet that was created and deleted in one batch', async () => {
    const store = place.open();
    const { id } = await store.pets.apply(createPet(rex));
    const next = id + 1n;
    const together = [createPet(rex), deletePet(next)].map((change) => store.pets.apply(change));
    expect((await Promise.all(together)).map((applied) => applied.id)).toEqual([next, next]);
    expect(await store.pets.getPet(next)).toBeUndefined();
    await store.close();
    expect((await place.open().pets.apply(createPet(rex))).id).toBe(next + 1n);
  });

  it('refuse a damaged pet and leave it as it is, while the rest of the batch is done', async () => {
    const store = place.open();
    const [damaged, sound] = [await store.pets.apply(createPet(rex)), await store.pets.apply(createPet(rex))];
    const json = damaged.json.replace('Rex', 'Rey');
    place.change(`UPDATE pets SET json = '${json}' WHERE id = ${damaged.id}`);
    const outcomes = await Promise.all([
      codeOf(store.pets.apply(createPet(rex))),
      codeOf(store.pets.apply(updatePet(damaged.id, { changes: { name: 'Tom' } }))),
      codeOf(store.pets.apply(deletePet(damaged.id))),
      codeOf(store.pets.apply(updatePet(sound.id, { changes: { name: 'Tom' } }))),
    ]);
    expect(outcomes).toEqual(['done', 'unavailable', 'unavailable', 'done']);
    using database = new Database(place.path);
    expect(database.query('SELECT json FROM pets WHERE id = ?1').get(damaged.id)).toEqual({ json });
  });

  it('refuse a damaged category, and so does the list', async () => {
    const store = place.open();
    await store.pets.apply(putCategory(7n, 'Cats'));
    place.change("UPDATE categories SET name = 'Cars' WHERE id = 7");
    const outcomes = await Promise.all([
      codeOf(store.pets.apply(putCategory(7n, 'Dogs'))),
      codeOf(store.pets.apply(deleteCategory(7n))),
      codeOf(store.pets.apply(putCategory(8n, 'Dogs'))),
    ]);
    expect(outcomes).toEqual(['unavailable', 'unavailable', 'done']);
    expect(() => store.pets.listCategories({ limit: 1 })).toThrow('damaged');
    expect(await codeOf(Promise.resolve(store.pets.listCategories({ limit: 1, after: 7n })))).toBe('done');
  });
});

describe('an order whose bytes the disk has changed', () => {
  const changes = [`status = 'pending'`, 'created_at = created_at + 1', 'id = 7'];
  it.each(changes)('is never listed, copied or backed up: %s', async (damage) => {
    const store = place.open();
    await store.pets.apply(createPet({ ...rex, status: 'sold' }));
    await store.close();
    place.change(`UPDATE orders SET ${damage}`);
    const again = place.open();
    expect(() => again.orders.listOrders({ limit: 1 })).toThrow('damaged');
    expect(() => again.pets.listPets({ limit: 1 })).not.toThrow();
    const bulk = await openSqliteBulk({ path: place.path, mayCreate: true });
    expect(await codeOf(bulk.orders.read(undefined, 10))).toContain('is damaged');
    await bulk.close();
    expect(() => backUpSqlite(place.path, `${place.path}.backup`, noReport)).toThrow('is damaged');
    expect(existsSync(`${place.path}.backup`)).toBe(false);
  });
});
