import { expect, it } from 'bun:test';
import { project } from '../../support/process/package.ts';
import { startProgram } from '../../support/process/running.ts';

/** Beside the other files instead of after them, where most of a machine would have nothing to do. */
it('PostgreSQL keeps the contract as SQLite does', async () => {
  const files = ['contract', 'http/generated.test.ts', 'http/messages/late-bytes.test.ts'];
  const paths = files.map((file) => `./test/${file}`);
  const command = [process.execPath, 'test', '--timeout', '300000', '--no-isolate', ...paths];
  await using tests = startProgram(command, {
    cwd: project,
    env: { ...process.env, TEST_STORE: 'postgres' },
  });
  const status = await tests.ended;
  expect(status, tests.stdout.text + tests.stderr.text).toBe(0);
}, 900_000);
