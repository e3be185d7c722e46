import { expect, it } from 'bun:test';
import { openPostgresStore } from '../../../src/stores/postgres/open.ts';
import { createPet } from '../../support/changes.ts';
import { codeOf } from '../../support/code-of.ts';
import { idsOf } from '../../support/http/calls.ts';
import { openProxiedStore } from './proxy.ts';
import { hold } from '../../support/postgres/cluster.ts';
import { makeDatabase } from '../../support/postgres/server.ts';

it('does not run a search whose caller has left', async () => {
  await using proxied = await openProxiedStore();
  const { database, proxy, store } = proxied;
  const sent = proxy.record();
  const leaving = new AbortController();
  const search = (word: string, signal?: AbortSignal) =>
    codeOf(Promise.resolve(store.pets.searchPets({ limit: 1, words: [word] }, signal)));
  await using held = await hold(database, 'LOCK TABLE pets');
  const running = search('first');
  while (!sent.join('').includes('%first%')) await Bun.sleep(5);
  const waiting = [search('unwanted', leaving.signal), search('wanted')];
  leaving.abort();
  await held.release();
  expect(await Promise.all([running, ...waiting])).toEqual(['done', 'overloaded', 'done']);
  expect(sent.join('')).not.toContain('%unwanted%');
});

it('reads the searches by id that wait together in one query', async () => {
  await using proxied = await openProxiedStore();
  const { database, proxy, store } = proxied;
  const pets = await Promise.all(
    ['Rex', 'Rover', 'Tom'].map((name) => store.pets.apply(createPet({ name, categoryId: 1n }))),
  );
  const sent = proxy.record();
  const search = (id: bigint, words: string[]) => store.pets.searchPets({ id, limit: 1, words });
  await using held = await hold(database, 'LOCK TABLE pets');
  const first = search(pets[0]!.id, ['rex']);
  await held.untilWaiting(1);
  const waiting = pets.map(({ id }) => search(id, ['ro']));
  await Bun.sleep(50);
  await held.release();
  const pages = await Promise.all([first, ...waiting]);
  expect(pages.map(({ json }) => idsOf(json).length)).toEqual([1, 0, 1, 0]);
  expect(sent.join('').match(/LIKE input\.word0/g)).toHaveLength(2);
});

it('uses a trigram index of the operator', async () => {
  await using database = await makeDatabase();
  const store = await openPostgresStore({ address: database.address() });
  const { id } = await store.pets.apply(createPet({ name: 'Łucja', categoryId: 1n }));
  await database.run(
    `CREATE EXTENSION pg_trgm; CREATE INDEX pets_by_trigram ON pets USING gin (folded_name gin_trgm_ops)`,
  );
  await database.run(
    `INSERT INTO pets (id, json, category_id, folded_name)
     SELECT nextval('pet_ids'), '', 1, md5(n::text) FROM generate_series(1, 20000) AS n`,
  );
  await database.run('VACUUM ANALYZE pets');
  const { json } = await store.pets.searchPets({ limit: 100, words: ['lucja'] });
  expect(idsOf(json)).toEqual([String(id)]);
  await store.close();
  const used = `SELECT FROM pg_stat_user_indexes WHERE indexrelname = 'pets_by_trigram' AND idx_scan > 0`;
  // A session reports what it did when its process ends.
  while ((await database.run(used)).length === 0) await Bun.sleep(20);
});
