import { describe, expect, it } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../support/process/process.ts';

const project = join(import.meta.dir, '../..');

/** What must not be written: the folder, and the only line of a file in it. */
const violations = [
  ['src', `export { openSqliteStore } from './sqlite/open.ts';`],
  ['src/http', `export { openSqliteStore } from '../sqlite/open.ts';`],
  ['src/http', `export { serve } from '../cli/serve.ts';`],
  ['src/sqlite', `export { createApp } from '../http/app.ts';`],
  ['src/sqlite', `export type { Connection } from '../postgres/session/connection.ts';`],
  ['src/postgres', `export { connect } from '../sqlite/opening/connect.ts';`],
  ['packages/client/src', `export { petStatuses } from '../pet.ts';`],
  ['packages/client/src', `export { Client } from 'pg';`],
  ['src/console', `export { petStatuses } from '../pet.ts';`],
  ['src/console/pets', `export { createApp } from '../../http/app.ts';`],
  ['src/server', `export { serve } from '../cli/serve.ts';`],
  ['src/server', `export { openSqliteStore } from '../sqlite/open.ts';`],
  ['src/server', `export { listBackups } from '../backups/catalog.ts';`],
  ['src/server', `export { startSandbox } from '../sandbox/sandbox.ts';`],
  ['src/http', `export { startSandbox } from '../sandbox/sandbox.ts';`],
  ['packages/testkit/src/sandbox', `export { openStores } from '../stores.ts';`],
  ['src/backups', `export { openStores } from '../stores.ts';`],
  ['src/formats', `export { openStores } from '../stores.ts';`],
  ['src/docs', `export { createApp } from '../http/app.ts';`],
  ['src/metrics', `export { createApp } from '../http/app.ts';`],
  ['src/formats', `export { createRegistry } from '../metrics/registry.ts';`],
  ['packages/testkit/src/conform', `export { createApp } from '../http/app.ts';`],
  ['packages/testkit/src/conform/contract', `export { pageLimit } from '../../pet.ts';`],
  ['src/system', `export { petStatuses } from '../client/index.ts';`],
] as const;

describe('the linter', () => {
  it('holds the import directions and finds promises that nobody waits for', async () => {
    using folder = makeFolder();
    for (const name of ['src', '.oxlintrc.json', 'tsconfig.json', 'package.json']) {
      await cp(join(project, name), join(folder.path, name), { recursive: true });
    }
    await symlink(join(project, 'node_modules'), join(folder.path, 'node_modules'));
    const write = (room: string, name: string, text: string) => {
      const path = join(folder.path, room, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${text}\n`);
    };
    violations.forEach(([room, line], index) => write(room, `violation-${index}.ts`, line));
    const unawaited = 'export function forget(): void {\n  Promise.resolve(1);\n}';
    write('src/cli', 'unawaited.ts', unawaited);
    write('src/cli', 'allowed.ts', `export { openSqliteStore } from '../sqlite/open.ts';`);

    const command = ['node_modules/.bin/oxlint', '--type-aware', '--format=unix', 'src'];
    const { stdout } = Bun.spawnSync(command, { cwd: folder.path });
    const lines = stdout.toString().split('\n');
    const found = (path: string) => lines.filter((line) => line.includes(path)).join('\n');
    violations.forEach(([room, line], index) => {
      expect(found(`${room}/violation-${index}.ts`), line).toContain('no-restricted-imports');
    });
    expect(found('src/cli/unawaited.ts')).toContain('no-floating-promises');
    expect(found('src/cli/allowed.ts')).toBe('');
  });
});
