import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, it } from 'bun:test';
import { renderPet, type NewPet } from '../../../src/domain/pet.ts';
import type { Store } from '../../../src/stores/store.ts';
import { selectJoinedPets, verifiedPage, type JoinedPets } from '../../../src/stores/sqlite/pets.ts';
import { checksumOf } from '../../../src/stores/sqlite/rows.ts';
import { insertPet } from '../../support/insert-pet.ts';
import { useSqliteFile } from '../../support/sqlite-file.ts';

const place = useSqliteFile();
beforeEach(() => place.open().close());

const largest = 2n ** 63n - 1n;
const names = ['Rex', '},{"id":1', ',{"id":7,"name":"', 'Zoë 🐈', '', '"quoted" \\ \n'];
const petOf = (id: bigint): NewPet => ({ name: names[Number(id) % names.length] ?? '', categoryId: -id });
const textOf = (id: bigint): string => renderPet(id, petOf(id));

function fill(ids: readonly bigint[]): void {
  using database = new Database(place.path);
  for (const id of ids) insertPet(database, id, petOf(id));
}

function listed({ pets }: Store, after: bigint, limit: number): unknown {
  const page = pets.listPets({ after, limit });
  if (page instanceof Promise) throw new Error('The embedded store responds at once.');
  return { json: page.json, next: page.next };
}

describe('the joined pets', () => {
  it('are a page only in the order of their ids, which SQLite does not promise', () => {
    fill([1n, 2n, 3n]);
    using database = new Database(place.path);
    const join = () => database.query<JoinedPets, [number, number]>(selectJoinedPets).get(0, 3)!;
    expect(verifiedPage(join(), { after: 0n, limit: 3 })?.json).toBe(`[${[1n, 2n, 3n].map(textOf).join()}]`);
    database.run('PRAGMA reverse_unordered_selects = ON');
    expect(join().json).toBe(`[${[3n, 2n, 1n].map(textOf).join()}]`);
    expect(verifiedPage(join(), { after: 0n, limit: 3 })).toBeUndefined();
  });
});

describe('a page of any length after any id', () => {
  for (const [title, ids] of Object.entries({
    'of ids without a gap': [1n, 2n, 3n, 4n, 5n, 6n, 7n],
    'of ids with gaps': [1n, 2n, 4n, 5n, 6n, 7n, 10n, 30n],
    'of ids that no JavaScript number holds': [1n, 3n, 2n, 1n, 0n].map((less) => 2n ** 53n + 7n - less),
    'of the largest ids': [5n, 4n, 2n, 1n, 0n].map((less) => largest - less),
  })) {
    it(`holds the right pets ${title}`, async () => {
      const inOrder = [...new Set(ids)].toSorted((a, b) => (a < b ? -1 : 1));
      fill(inOrder);
      const store = place.open();
      for (const after of [0n, ...inOrder, inOrder[0]! - 1n]) {
        for (let limit = 1; limit <= 9; limit++) {
          const following = inOrder.filter((id) => id > after);
          const shown = following.slice(0, limit);
          const next = following.length > limit ? shown.at(-1) : undefined;
          expect(listed(store, after, limit)).toEqual({ json: `[${shown.map(textOf).join(',')}]`, next });
        }
      }
    });
  }
});

describe('damage among pets whose ids have no gap', () => {
  for (const [title, sql] of Object.entries({
    'in a text': `UPDATE pets SET json = replace(json, '-4', '-5') WHERE id = 4`,
    'in a text that then looks like two': `UPDATE pets SET json = replace(json, ',"name"', ',{"id":') WHERE id = 4`,
    'in where a text begins': `UPDATE pets SET json = replace(json, '{"id"', '["id"') WHERE id = 4`,
    'in a checksum': `UPDATE pets SET checksum = checksum + 1 WHERE id = 4`,
    'in a checksum, up to the largest number': `UPDATE pets SET checksum = ${largest} WHERE id IN (3, 4)`,
  })) {
    it(`${title} makes only the pages that contain it fail`, async () => {
      fill([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n]);
      place.change(sql);
      const store = place.open();
      for (const [after, limit] of [
        [0n, 4],
        [1n, 5],
        [3n, 1],
      ] as const) {
        expect(() => store.pets.listPets({ after, limit })).toThrow('damaged');
      }
      expect(() => store.pets.getPet(4n)).toThrow('damaged');
      expect(listed(store, 0n, 2)).toEqual({ json: `[${textOf(1n)},${textOf(2n)}]`, next: 2n });
      expect(listed(store, 4n, 2)).toEqual({ json: `[${textOf(5n)},${textOf(6n)}]`, next: 6n });
    });
  }

  it('is noticed when SQLite leaves out a pet', () => {
    const checksums = checksumOf(textOf(1n)) + 2 * checksumOf(textOf(2n));
    const joined = { json: `[${textOf(1n)},${textOf(2n)}]`, checksums, hasMore: 1 } as const;
    expect(verifiedPage(joined, { after: 0n, limit: 2 })).toEqual({ json: joined.json, next: 2n });
    expect(verifiedPage(joined, { after: 0n, limit: 3 })).toBeUndefined();
  });
});
