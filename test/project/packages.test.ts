import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { packBuilt, packServer, run } from '../support/process/package.ts';
import { makeFolder, type Folder } from '../support/process/process.ts';
import { installTools, tools } from '../support/process/tools.ts';

/** The packages as npm would publish them, under the linters that their users go by. */
const tarballs: Record<string, string> = {};
let folders: Folder[];

beforeAll(async () => {
  await installTools();
  folders = [makeFolder(), makeFolder(), makeFolder()];
  const [client, testkit, server] = folders as [Folder, Folder, Folder];
  tarballs['client'] = await packBuilt('client', client.path);
  tarballs['testkit'] = await packBuilt('testkit', testkit.path);
  tarballs['server'] = await packServer(server.path);
});
afterAll(() => folders.forEach((folder) => folder[Symbol.dispose]()));

const lint = (program: string, ...args: string[]) =>
  run([join(tools, 'node_modules/.bin', program), ...args], tools);

describe.each(['server', 'client', 'testkit'])('the package of the %s', (name) => {
  it('is clean under publint', async () => {
    const { status, stdout } = await lint('publint', 'run', tarballs[name]!, '--strict');
    expect(status, stdout).toBe(0);
  });

  it('says what it is', async () => {
    const folder = name === 'server' ? '.' : `packages/${name}`;
    const file = Bun.file(join(tools, '../..', folder, 'package.json'));
    const manifest = (await file.json()) as Record<string, unknown>;
    expect(manifest).toMatchObject({ keywords: expect.any(Array), author: 'The Petstore maintainers' });
    // These need an address; `npm run release -- --repository` fills them in.
    for (const field of ['repository', 'homepage', 'bugs']) expect(manifest).not.toHaveProperty(field);
  });
});

// The server's only module runs on Bun alone, from source: it has no types in the sense of attw.
it.each(['client', 'testkit'])('the package of the %s has types for every way to import it', async (name) => {
  const { status, stdout } = await lint('attw', tarballs[name]!, '--profile', 'esm-only');
  expect(status, stdout).toBe(0);
});

it('only Bun can import the server', async () => {
  const { exports } = (await Bun.file(join(tools, '../../package.json')).json()) as {
    exports: Record<string, Record<string, string>>;
  };
  expect(Object.keys(exports['./embed'] ?? {})).toEqual(['types', 'bun']);
});
