import { Database } from 'bun:sqlite';
import { expect, it } from 'bun:test';
import { statSync, truncateSync } from 'node:fs';
import { openSqliteStore } from '../../../src/stores/sqlite/open.ts';
import { addPet, outcomeOf, post, rex } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';
import { makeSqlitePlace } from '../../support/store-place.ts';

it('refuses writes while a held snapshot keeps a log of 2 GiB, serves reads, and recovers by itself', async () => {
  await using place = await makeSqlitePlace();
  await using service = await openService({ openStore: async () => openSqliteStore({ path: place.path }) });
  const id = await addPet(service.call);
  const log = `${place.path}-wal`;
  {
    using reader = new Database(place.path, { readwrite: true, create: false });
    reader.run('BEGIN');
    reader.query('SELECT count(*) FROM pets').get();
    await addPet(service.call);
    // SQLite reads as many frames as its index names, so a hole behind them is a log that has grown.
    truncateSync(log, 2 * 1024 ** 3 + 1);
    expect(await outcomeOf(service.call('/v1/pets', post(rex)))).toBe('503 unavailable');
    expect(await outcomeOf(service.call(`/v1/pets/${id}`))).toBe('200');
    reader.run('COMMIT');
  }
  await addPet(service.call);
  expect(statSync(log).size).toBeLessThan(1024 ** 2);
});
