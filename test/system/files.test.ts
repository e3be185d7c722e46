import { expect, it } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { project } from '../support/process/package.ts';
import { makeFolder } from '../support/process/process.ts';

it('never lets others read a copy of what they can read', async () => {
  using folder = makeFolder();
  const [from, to] = [join(folder.path, 'pipe'), join(folder.path, 'copy')];
  // A pipe keeps the copy waiting for its content.
  spawnSync('mkfifo', ['-m', '644', from]);
  const module = JSON.stringify(join(project, 'src/system/files.ts'));
  const script = `(await import(${module})).copyPrivately(...process.argv.slice(-2))`;
  await using child = Bun.spawn([process.execPath, '-e', script, from, to], { stderr: 'inherit' });
  while (!statSync(to, { throwIfNoEntry: false })) await Bun.sleep(5);
  expect(statSync(to).mode & 0o777).toBe(0o600);
  const content = 'x'.repeat(3_000_000);
  // Waits until the other program has opened the pipe.
  await writeFile(from, content);
  expect(await child.exited).toBe(0);
  expect(readFileSync(to, 'utf8') === content).toBe(true);
  expect(statSync(to).mode & 0o777).toBe(0o600);
});
