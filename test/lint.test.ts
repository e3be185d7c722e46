import { describe, expect, it } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from './support/process/process.ts';

const project = join(import.meta.dir, '..');

/** What must not be written: the file, and its only line. */
const violations = [
  ['src/probe.ts', `export { openSqliteStore } from './sqlite/open.ts';`],
  ['src/http/probe.ts', `export { openSqliteStore } from '../sqlite/open.ts';`],
  ['src/http/probe.ts', `export { serve } from '../cli/serve.ts';`],
  ['src/sqlite/probe.ts', `export { createApp } from '../http/app.ts';`],
  ['src/sqlite/probe.ts', `export type { Connection } from '../postgres/session/connection.ts';`],
  ['src/postgres/probe.ts', `export { connect } from '../sqlite/opening/connect.ts';`],
  ['src/client/probe.ts', `export { petStatuses } from '../pet.ts';`],
  ['src/client/probe.ts', `export { Client } from 'pg';`],
  ['src/console/probe.ts', `export { petStatuses } from '../pet.ts';`],
] as const;

describe('the linter', () => {
  it('holds the import directions, and finds promises that nobody waits for', async () => {
    using folder = makeFolder();
    for (const name of ['src', '.oxlintrc.json', 'tsconfig.json', 'package.json']) {
      await cp(join(project, name), join(folder.path, name), { recursive: true });
    }
    await symlink(join(project, 'node_modules'), join(folder.path, 'node_modules'));
    const lint = (file: string, text: string) => {
      const path = join(folder.path, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${text}\n`);
      const { stdout } = Bun.spawnSync(['node_modules/.bin/oxlint', '--type-aware', file], {
        cwd: folder.path,
      });
      return stdout.toString();
    };
    for (const [file, line] of violations) expect(lint(file, line), file).toContain('no-restricted-imports');
    const unawaited = 'export function forget(): void {\n  Promise.resolve(1);\n}';
    expect(lint('src/cli/probe.ts', unawaited)).toContain('no-floating-promises');
    expect(lint('src/cli/probe.ts', `export { openSqliteStore } from '../sqlite/open.ts';`)).toContain(
      '0 errors',
    );
  });
});
