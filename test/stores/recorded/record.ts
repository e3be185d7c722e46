import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { record } from './requests.ts';

/** Records the responses of another checkout: `bun test/stores/recorded/record.ts FOLDER`. */

const [, , checkout = ''] = process.argv;
const source = resolve(checkout, 'src');
const [{ createApp }, { openSqliteStore }] = await Promise.all([
  import(join(source, 'http/app.ts')),
  import(join(source, 'stores/sqlite/open.ts')),
]);
const folder = await mkdtemp(join(tmpdir(), 'petstore-'));
const responses = await record(createApp, async (now) =>
  openSqliteStore({ path: join(folder, 'petstore.db'), now }),
);
await rm(folder, { recursive: true });
await Bun.write(join(import.meta.dir, 'responses.json'), `${JSON.stringify(responses, undefined, 1)}\n`);
