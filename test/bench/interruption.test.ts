import { describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { familyOf } from '../support/process/process-figures.ts';

const root = join(import.meta.dir, '../..');

describe.if(process.platform === 'linux')('an interrupted benchmark', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'leaves no process and no folder behind after %s',
    async (signal) => {
      const program = `
      import { cleanUpWhenInterrupted, makeFolder, started } from './bench/load/processes.ts';
      cleanUpWhenInterrupted();
      const shell = started(Bun.spawn(['sh', '-c', 'sleep 300 & wait'], { stdio: ['ignore', 'ignore', 'ignore'] }));
      console.log(shell.pid + ' ' + makeFolder().path);`;
      await using child = Bun.spawn([process.execPath, '-e', program], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
        timeout: 60_000,
      });
      let said = '';
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
        said += text;
        if (said.endsWith('\n')) break;
      }
      const [pid, folder = ''] = said.trim().split(' ');
      const family = familyOf(Number(pid));
      expect(existsSync(folder)).toBeTrue();
      child.kill(signal);
      expect(await child.exited).toBe(1);
      expect(existsSync(folder)).toBeFalse();
      // A killed process stays until somebody waits for it.
      while (family.some((own) => existsSync(`/proc/${own}/exe`))) await Bun.sleep(10);
    },
  );

  it('removes a folder that is no longer in use', () => {
    const program = `
      import { makeFolder } from './bench/load/processes.ts';
      using folder = makeFolder();
      console.log(folder.path);`;
    const { stdout } = Bun.spawnSync([process.execPath, '-e', program], { cwd: root });
    const path = stdout.toString().trim();
    expect(path).toContain('petstore-bench-');
    expect(existsSync(path)).toBeFalse();
  });
});
