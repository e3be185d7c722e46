import { describe, expect, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as embed from '../src/embed.ts';
import { makeFolder } from './support/process/process.ts';
import { outputOf, project } from './support/process/package.ts';

const page = readFileSync(join(project, 'docs/embed.md'), 'utf8');

describe('petstore-server/embed', () => {
  it('runs the example of its documentation', async () => {
    using folder = makeFolder();
    const [, example = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
    const command = [process.execPath, '-e', example.replace("'pets.db'", JSON.stringify(folder.database))];
    expect(await outputOf(command, project)).toBe('200\n');
  });

  it('exports what its documentation lists', () => {
    const [, table = ''] = /^\| Export(.*)^With `stableOnly`/ms.exec(page) ?? [];
    for (const name of Object.keys(embed)) expect(table).toContain(`\`${name}\``);
  });

  it('serves routes of a program beside its own, with the same checks', async () => {
    using folder = makeFolder();
    const store = embed.openSqliteStore({ path: folder.database });
    const { text: apiKey } = await embed.issueKey(store.keys, { name: 'till-1', now: new Date() });
    const GET = () => ({ status: 200, headers: {}, body: '"open"' });
    const log = embed.createLog({ level: 'error', write: () => {} });
    const app = embed.createApp({ ...store, log, moreRoutes: [{ path: '/till', methods: { GET } }] });
    const call = (path: string, method = 'GET', headers = { Authorization: `Bearer ${apiKey}` }) =>
      app.fetch(new Request(`http://localhost${path}`, { method, headers }));
    expect(await (await call('/till')).text()).toBe('"open"');
    expect((await call('/till', 'GET', { Authorization: '' })).status).toBe(401);
    expect((await call('/till', 'POST')).headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
    expect((await call('/v1/pets')).status).toBe(200);
    await store.close();
  });
});
