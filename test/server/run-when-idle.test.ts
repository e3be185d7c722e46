import { expect, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { runWhenIdle } from '../../src/system/run-when-idle.ts';

const idlePolicy = '5';

it.if(process.platform === 'linux')('leaves a process the time that nobody else wants', async () => {
  await using child = Bun.spawn(['sleep', '60'], { stdio: ['ignore', 'ignore', 'ignore'] });
  expect(runWhenIdle(child.pid)).toBe(true);
  // The policy is the 41st field; see proc_pid_stat(5).
  expect(readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(' ')[40]).toBe(idlePolicy);
});

it('says that it cannot do so with a process that is gone', async () => {
  const child = Bun.spawn(['true']);
  await child.exited;
  expect(runWhenIdle(child.pid)).toBe(false);
});
