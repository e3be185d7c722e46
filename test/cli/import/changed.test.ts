import { Database } from 'bun:sqlite';
import { expect, it } from 'bun:test';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, runCli, startCli } from '../../support/process/process.ts';
import { isOpenElsewhere } from '../../support/process/open-files.ts';

const batchSize = 20_000;

it.each<[string, number, (path: string) => void]>([
  ['a row is different', 40_000, (path) => overwriteEnd(path, '{"name":"Mia","categoryId":2}\n')],
  ['a row is bad', 20_000, (path) => overwriteEnd(path, '{"name":7,"categoryId":  1}  \n')],
  ['a row is added', 40_000, (path) => writeFileSync(path, row, { flag: 'a' })],
])('refuses the rest of a file that changed after the check: %s', async (_title, addedCount, change) => {
  using folder = makeFolder();
  const path = join(folder.path, 'pets.ndjson');
  writeFileSync(path, row.repeat(2 * batchSize + 1));
  await runCli(['keys', 'create', '--name', 'till', '--database-url', folder.database]);
  // The first batch waits for this lock: by then the file is checked, and most of it has to be read again.
  using holder = new Database(folder.database);
  holder.run('BEGIN IMMEDIATE');
  await using command = startCli(['import', path, '--database-url', folder.database], { cwd: folder.path });
  while (!isOpenElsewhere(folder.database)) await Bun.sleep(5);
  change(path);
  holder.run('ROLLBACK');
  expect(await command.ended).toBe(1);
  expect(command.stderr.text).toContain('The file was changed while it was being imported.');
  expect(holder.query('SELECT count(*) AS count FROM pets').get()).toEqual({ count: addedCount });
});

const row = '{"name":"Rex","categoryId":1}\n';

function overwriteEnd(path: string, text: string): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, text, 2 * batchSize * row.length);
  closeSync(descriptor);
}
