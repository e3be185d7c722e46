import { expect, it } from 'bun:test';
import { Client } from 'pg';
import { codeOf } from '../../support/code-of.ts';
import { openProxiedStore } from '../../support/postgres/proxied-store.ts';

it('does not run a search whose caller has left', async () => {
  await using proxied = await openProxiedStore();
  const { database, proxy, store } = proxied;
  const sent = proxy.record();
  const leaving = new AbortController();
  const search = (word: string, signal?: AbortSignal) =>
    codeOf(Promise.resolve(store.pets.searchPets({ limit: 1, words: [word] }, signal)));
  const holder = new Client(database.address());
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE pets');
  const running = search('first');
  while (!sent.join('').includes('%first%')) await Bun.sleep(5);
  const waiting = [search('unwanted', leaving.signal), search('wanted')];
  leaving.abort();
  await holder.query('ROLLBACK');
  await holder.end();
  expect(await Promise.all([running, ...waiting])).toEqual(['done', 'overloaded', 'done']);
  expect(sent.join('')).not.toContain('%unwanted%');
});
