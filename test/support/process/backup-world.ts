import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueKey } from '../../../src/stores/issue-key.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/open.ts';
import { fillFile } from '../fill-file.ts';
import type { S3Server } from '../s3-server.ts';
import { makeFolder, runCli, type Folder } from './process.ts';

export interface World extends Disposable {
  folder: Folder;
  /** Where the backups go. */
  place: string;
  run: (...args: string[]) => ReturnType<typeof runCli>;
  /** The names of the files in the place. */
  files: () => Promise<string[]>;
  /** Changes one byte of a backup. */
  damage: (name: string) => Promise<unknown>;
}

/** A store with 300 pets and a key, and an empty place for its backups. */
export async function makeWorld(kind: 'a folder' | 'a bucket', s3: S3Server): Promise<World> {
  const folder = makeFolder();
  const prefix = crypto.randomUUID();
  const backups = join(folder.path, 'backups');
  mkdirSync(backups);
  const scratch = join(folder.path, 'scratch');
  mkdirSync(scratch);
  const run: World['run'] = (...args) =>
    runCli(args, { env: { ...s3.env, DATABASE_URL: folder.database, TMPDIR: scratch } });
  await fillFile(folder.database, 300);
  const store = openSqliteStore({ path: folder.database });
  await issueKey(store.keys, { name: 'till', now: new Date() });
  await store.close();
  const common = { folder, run, [Symbol.dispose]: () => folder[Symbol.dispose]() };
  if (kind === 'a folder') {
    return {
      ...common,
      place: backups,
      files: async () => readdirSync(backups).sort(),
      damage: async (name) => writeFileSync(join(backups, name), damaged(readFileSync(join(backups, name)))),
    };
  }
  return {
    ...common,
    place: `s3://shop/${prefix}`,
    async files() {
      const { contents = [] } = await s3.client.list({ prefix: `${prefix}/` });
      return contents.map(({ key }) => key.slice(prefix.length + 1)).sort();
    },
    async damage(name) {
      const bytes = await s3.client.file(`${prefix}/${name}`).bytes();
      await s3.client.write(`${prefix}/${name}`, damaged(bytes));
    },
  };
}

function damaged(bytes: Uint8Array): Uint8Array {
  return bytes.with(-3, bytes.at(-3)! ^ 1);
}
