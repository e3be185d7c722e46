import { Database } from 'bun:sqlite';
import { expect, it } from 'bun:test';
import { fillFile } from '../../support/fill-file.ts';
import { addPet, idsOf } from '../../support/http/calls.ts';
import { startService } from '../../support/process/process.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';

const at = useStoreFolder();

it('a store with tables and indexes of other programs is used like any other', async () => {
  await fillFile(at.store, 3);
  using database = new Database(at.store);
  database.run("CREATE INDEX by_name ON pets (json ->> 'name'); ANALYZE");
  // As Litestream does.
  database.run('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)');
  database.run('CREATE TABLE _litestream_lock (id INTEGER)');
  database.close();
  expect(await at.run('check')).toMatchObject({ status: 0 });
  expect(await at.run('backup', 'b.db')).toMatchObject({ status: 0 });
  expect(await at.run('restore', 'b.db', '--force')).toMatchObject({ status: 0 });
  await using service = await startService({ databaseUrl: at.store });
  await addPet(service.call);
  expect(idsOf(await (await service.call('/v1/pets')).text())).toHaveLength(4);
});
