import { describe, expect, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { codeOf } from '../../support/code-of.ts';
import { makeSqlitePlace } from '../../support/store-place.ts';
import { createPet, deletePet, updatePet } from '../../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };

/** How many commits are in the log: the last frame of each holds the size of the database. */
function countCommits(path: string): number {
  const log = readFileSync(`${path}-wal`);
  const frameBytes = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let frame = 32; frame + frameBytes <= log.length; frame += frameBytes) {
    if (log.readUInt32BE(frame + 4) > 0) commits += 1;
  }
  return commits;
}

describe('updates and deletes', () => {
  it('share a commit with everything that arrives together, including refusals', async () => {
    await using place = await makeSqlitePlace();
    const store = await place.open();
    const ids = await Promise.all(
      Array.from({ length: 100 }, async () => (await store.pets.apply(createPet(rex))).id),
    );
    const before = countCommits(place.path);
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
    expect(countCommits(place.path) - before).toBeLessThanOrEqual(2);
    await store.close();
  });

  it('never free the id of a pet that was created and deleted in one batch', async () => {
    await using place = await makeSqlitePlace();
    const store = await place.open();
    const { id } = await store.pets.apply(createPet(rex));
    const next = id + 1n;
    const together = [createPet(rex), deletePet(next)].map((change) => store.pets.apply(change));
    expect((await Promise.all(together)).map((applied) => applied.id)).toEqual([next, next]);
    expect(await store.pets.getPet(next)).toBeUndefined();
    await store.close();
    const again = await place.open();
    expect((await again.pets.apply(createPet(rex))).id).toBe(next + 1n);
    await again.close();
  });
});
