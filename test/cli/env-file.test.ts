import { expect, it } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvFile } from '../../src/cli/settings.ts';
import { makeFolder } from '../support/process/process.ts';

it('reads variables from a file, and the environment wins', () => {
  using folder = makeFolder();
  const path = join(folder.path, 'settings');
  writeFileSync(path, 'PORT=3000\nHOST=0.0.0.0\n# A comment\nPGPASSWORD="p w"\n');
  const environment: NodeJS.ProcessEnv = { HOST: '127.0.0.1' };
  readEnvFile(path, environment);
  expect(environment).toEqual({ HOST: '127.0.0.1', PORT: '3000', PGPASSWORD: 'p w' });
});
