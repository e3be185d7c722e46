import { describe, expect, it } from 'bun:test';
import { appendFile, cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanEnvironment, makeFolder } from '../support/process/process.ts';

const project = join(import.meta.dir, '../..');

describe('npm run dev', () => {
  it('restarts when a source changes, and ends on a signal', async () => {
    using folder = makeFolder();
    for (const name of ['src', 'package.json', 'openapi.yaml', 'petstore.arazzo.yaml']) {
      await cp(join(project, name), join(folder.path, name), { recursive: true });
    }
    await symlink(join(project, 'node_modules'), join(folder.path, 'node_modules'));
    const { scripts } = (await Bun.file(join(project, 'package.json')).json()) as {
      scripts: { dev: string };
    };
    const path = `${join(project, 'node_modules/.bin')}:${process.env['PATH']}`;
    const child = Bun.spawn(['sh', '-c', scripts.dev], {
      cwd: folder.path,
      env: cleanEnvironment({ PORT: '0', PATH: path }),
      stdout: 'pipe',
      stderr: 'ignore',
    });
    let output = '';
    const ended = (async () => {
      for await (const chunk of child.stdout) output += Buffer.from(chunk).toString();
    })();
    const untilReady = async (times: number) => {
      while (output.split('"message":"ready"').length <= times) await Bun.sleep(20);
    };
    try {
      await untilReady(1);
      await appendFile(join(folder.path, 'src/domain/pet.ts'), '\n');
      await untilReady(2);
      child.kill('SIGTERM');
      expect(await child.exited).toBe(0);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });
});
